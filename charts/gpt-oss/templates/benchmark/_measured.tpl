{{/* What the benchmark measures, for the plan.json of its runs. */}}

{{/* As JSON. A setting is in force on a worker or on the frontend, by its path there. */}}
{{- define "gpt-oss.measured" -}}
{{- $target := .Release.Name -}}
{{- range $name, $description := .plan.facts.targets -}}
  {{- if eq $description $.Values.description -}}{{- $target = $name -}}{{- end -}}
{{- end -}}
{{- $gpus := dict -}}
{{- $intervals := dict -}}
{{- $settings := dict -}}
{{- range .plan.workers -}}
  {{- $before := get $gpus .role | default 0 -}}
  {{- $_ := set $gpus .role (add $before (mul (int .gpus) (int .replicas))) -}}
  {{- $_ := set $intervals .role (.engine.stream_interval | default 1 | int) -}}
  {{- include "gpt-oss.flat" (dict "into" $settings "at" .name "from" .engine) -}}
  {{- include "gpt-oss.flat" (dict "into" $settings "at" .name "from" (dict
        "replicas" (int .replicas) "env" (include "gpt-oss.shown" .options.env | fromJson) "extraArgs" .options.extraArgs)) -}}
{{- end -}}
{{- with .Values.quantization.override -}}{{- $_ := set $settings "quantization.override" . -}}{{- end -}}
{{- if not .plan.serve -}}
  {{- include "gpt-oss.flat" (dict "into" $settings "at" "frontend" "from" (dict
        "replicas" (int .Values.frontend.replicas) "routerMode" .Values.frontend.routerMode
        "env" (include "gpt-oss.shown" .Values.frontend.env | fromJson) "extraArgs" .Values.frontend.extraArgs)) -}}
{{- end -}}
{{- dict
      "target" $target
      "release" .Values.runtime.release
      "runtime" .Values.runtime.kind
      "model" .plan.servedName
      "gpu" .Values.hardware.gpu
      "gpus" $gpus
      "isl" (int .Values.workload.inputTokens)
      "osl" (int .Values.workload.outputTokens)
      "stream_interval" $intervals
      "settings" $settings
    | toPrettyJson -}}
{{- end -}}

{{/* Puts the leaves of a map into another, by their paths. Takes into, at and from. */}}
{{- define "gpt-oss.flat" -}}
{{- range $key, $value := .from -}}
  {{- $path := printf "%s.%s" $.at $key -}}
  {{- if and (kindIs "map" $value) $value -}}
    {{- include "gpt-oss.flat" (dict "into" $.into "at" $path "from" $value) -}}
  {{- else if or (not (has $key (list "env" "extraArgs"))) $value -}}
    {{- $_ := set $.into $path $value -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Variables that can be told, as JSON: neither those of Secrets nor what looks like one. */}}
{{- define "gpt-oss.shown" -}}
{{- $shown := dict -}}
{{- range $name, $value := . -}}
  {{- if not (or (kindIs "map" $value) (regexMatch "(?i)token|secret|password|_key$" $name)) -}}
    {{- $_ := set $shown $name $value -}}
  {{- end -}}
{{- end -}}
{{- toJson $shown -}}
{{- end -}}
