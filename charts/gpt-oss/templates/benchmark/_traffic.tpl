{{/* Traffic: what the benchmark sends, computed from the workload, GPUs and engine configs. */}}

{{/* Requests that all workers decode at once; 0 when a worker does not say its batch size. It counts
     a rank of attention data parallelism. Prefill workers do not hold requests. */}}
{{- define "gpt-oss.capacity" -}}
{{- $capacity := 0 -}}
{{- $known := true -}}
{{- range .plan.workers -}}
  {{- if ne .role "prefill" -}}
    {{- $ranks := ternary (.engine.tensor_parallel_size | default 1 | int) 1 (eq (toString .engine.enable_attention_dp) "true") -}}
    {{- $known = and $known .engine.max_batch_size -}}
    {{- $capacity = add $capacity (mul (.engine.max_batch_size | default 0 | int) $ranks (int .replicas)) -}}
  {{- end -}}
{{- end -}}
{{- ternary $capacity 0 (not (not $known)) -}}
{{- end -}}

{{/* Requests in flight of the fixed profile. */}}
{{- define "gpt-oss.fixedConcurrency" -}}
{{- .Values.workload.concurrency | default (mul .plan.gpus (.Values.workload.concurrencyPerGpu | default 1 | int)) | int -}}
{{- end -}}

{{/* Last concurrency of the sweep. */}}
{{- define "gpt-oss.sweepEnd" -}}
{{- .Values.workload.sweep.to | default (include "gpt-oss.capacity" .) | int -}}
{{- end -}}

{{/* Concurrencies of the benchmark as JSON: one, or those of the sweep, which double and end with
     the last one whatever it is. */}}
{{- define "gpt-oss.concurrencies" -}}
{{- if kindIs "map" .Values.workload.sweep -}}
  {{- $steps := list -}}
  {{- $last := include "gpt-oss.sweepEnd" . | int -}}
  {{- $next := .Values.workload.sweep.from | default 32 | int -}}
  {{- range until 32 -}}
    {{- if lt $next $last -}}
      {{- $steps = append $steps $next -}}
      {{- $next = mul 2 $next | int -}}
    {{- end -}}
  {{- end -}}
  {{- append $steps $last | toJson -}}
{{- else -}}
  {{- list (include "gpt-oss.fixedConcurrency" . | int) | toJson -}}
{{- end -}}
{{- end -}}

{{/* Requests of the fixed profile. */}}
{{- define "gpt-oss.requests" -}}
{{- .Values.workload.requests | default (mul 10 (include "gpt-oss.fixedConcurrency" . | int)) | int -}}
{{- end -}}

{{/* The traffic in a few words, for people. */}}
{{- define "gpt-oss.trafficInWords" -}}
{{- $steps := include "gpt-oss.concurrencies" . | fromJsonArray -}}
{{- if kindIs "map" .Values.workload.sweep -}}
concurrency {{ range $number, $step := $steps }}{{ if $number }}, {{ end }}{{ int $step }}{{ end }}
{{- else -}}
{{ int (first $steps) }} concurrent, {{ include "gpt-oss.requests" . }} requests
{{- end -}}
{{- end -}}

{{- define "gpt-oss.guardTraffic" -}}
{{- $workload := .Values.workload -}}
{{- range $key := list "inputTokens" "outputTokens" -}}
  {{- if not (get $workload $key) -}}
    {{- fail (printf "benchmark.enabled is true, but workload.%s is not set; set it" $key) -}}
  {{- end -}}
{{- end -}}
{{- if kindIs "map" $workload.sweep -}}
  {{- $last := include "gpt-oss.sweepEnd" . | int -}}
  {{- if not $last -}}
    {{- fail "workload.sweep.to is not set, and a worker's engine config has no max_batch_size to take it from; set one of them" -}}
  {{- end -}}
  {{- if gt ($workload.sweep.from | default 32 | int) $last -}}
    {{- fail (printf "workload.sweep: it begins with %d, but ends with %d; set workload.sweep.from to %d or less" ($workload.sweep.from | default 32 | int) $last $last) -}}
  {{- end -}}
{{- else if and $workload.concurrency $workload.concurrencyPerGpu -}}
  {{- fail (printf "workload.concurrency is %d and workload.concurrencyPerGpu is %d; set one of them to null" (int $workload.concurrency) (int $workload.concurrencyPerGpu)) -}}
{{- else if not (or $workload.concurrency $workload.concurrencyPerGpu) -}}
  {{- fail "benchmark.enabled is true, but workload.concurrencyPerGpu is not set; set it, workload.concurrency or workload.sweep" -}}
{{- end -}}
{{- end -}}
