{{/* The benchmark Job: aiperf sends the target's traffic. */}}

{{/* Words that benchmark.py is given, as YAML: where it reads what it measures, the sweep if there
     is one, and the aiperf command line. Of a sweep's command benchmark.py fills in what changes from
     step to step. */}}
{{- define "gpt-oss.benchmarkWords" -}}
{{- $workload := .Values.workload -}}
{{- $options := .Values.benchmark -}}
{{- $sweep := kindIs "map" $workload.sweep -}}
{{- $steps := include "gpt-oss.concurrencies" . | fromJsonArray -}}
{{- $first := first $steps | int }}
- --target
- /etc/gpt-oss/scripts/target.json
{{- if $sweep }}
- --sweep
- {{ include "gpt-oss.join" $steps | quote }}
- --rounds
- {{ $workload.sweep.rounds | default 5 | int | quote }}
{{- end }}
- aiperf
- profile
- --model
- {{ .plan.servedName | quote }}
- --tokenizer
- {{ .Values.model.id | quote }}
- --tokenizer-revision
- {{ .Values.model.revision | quote }}
- --endpoint-type
- chat
- --endpoint
- /v1/chat/completions
- --streaming
- --url
- {{ .plan.endpoint | quote }}
- --synthetic-input-tokens-mean
- {{ int $workload.inputTokens | quote }}
- --synthetic-input-tokens-stddev
- {{ int $workload.inputTokensStddev | quote }}
- --output-tokens-mean
- {{ int $workload.outputTokens | quote }}
- --output-tokens-stddev
- {{ int $workload.outputTokensStddev | quote }}
{{- if not $workload.outputTokensStddev }}
- --extra-inputs
- {{ printf "max_tokens:%d" (int $workload.outputTokens) }}
- --extra-inputs
- {{ printf "min_tokens:%d" (int $workload.outputTokens) }}
{{- end }}
- --extra-inputs
- ignore_eos:true
{{- if not $sweep }}
{{- $requests := include "gpt-oss.requests" . | int }}
{{- $warmup := $options.warmupRequests | default $first | int }}
- --concurrency
- {{ $first | quote }}
- --request-count
- {{ $requests | quote }}
- --warmup-request-count
- {{ $warmup | quote }}
- --num-dataset-entries
- {{ $options.datasetEntries | default (add $requests $warmup) | int | quote }}
{{- else }}
{{- with $options.warmupRequests }}
- --warmup-request-count
- {{ int . | quote }}
{{- end }}
{{- with $options.datasetEntries }}
- --num-dataset-entries
- {{ int . | quote }}
{{- end }}
{{- end }}
{{- with $workload.goodput }}
- --goodput
- {{ include "gpt-oss.goodput" . | quote }}
{{- end }}
- --random-seed
- {{ int $options.randomSeed | quote }}
- --use-server-token-count
- --artifact-dir
- {{ include "gpt-oss.artifactFolder" . }}
- --ui
- simple
{{- range $options.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Whole numbers with commas between them. */}}
{{- define "gpt-oss.join" -}}
{{- range $number, $value := . }}{{ if $number }},{{ end }}{{ int $value }}{{ end -}}
{{- end -}}

{{/* Limits as aiperf takes them: metric:limit, with spaces between. */}}
{{- define "gpt-oss.goodput" -}}
{{- $limits := list -}}
{{- range $metric, $limit := . -}}
  {{- $limits = append $limits (printf "%s:%v" $metric $limit) -}}
{{- end -}}
{{- join " " $limits -}}
{{- end -}}

{{/* Annotations of its pod, as YAML. */}}
{{- define "gpt-oss.benchmarkAnnotations" -}}
gpt-oss/gpus: {{ .plan.gpus | int | quote }}
{{- if not (or (kindIs "map" .Values.workload.sweep) .Values.workload.concurrency) }}
gpt-oss/concurrency-per-gpu: {{ int .Values.workload.concurrencyPerGpu | quote }}
{{- end }}
{{ include "gpt-oss.measures" (dict "root" . "options" .Values.benchmark) }}
{{- end -}}
