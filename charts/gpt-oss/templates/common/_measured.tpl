{{/* What Jobs measure: for the target.json of their runs, and to tell when it has become another. */}}

{{/* As JSON, with the traffic. */}}
{{- define "gpt-oss.measured" -}}
{{- $target := .Release.Name -}}
{{- range $name, $description := .plan.facts.targets -}}
  {{- if eq $description $.Values.description -}}{{- $target = $name -}}{{- end -}}
{{- end -}}
{{- $measured := dict "target" $target
      "isl" (int .Values.workload.inputTokens)
      "osl" (int .Values.workload.outputTokens) -}}
{{- include "gpt-oss.fillServed" (dict "root" . "into" $measured) -}}
{{- toPrettyJson $measured -}}
{{- end -}}

{{/* Checksum of what serves, which a Job's name follows. What the operator and labels, annotations
     and places of pods are does not count. */}}
{{- define "gpt-oss.servedChecksum" -}}
{{- $served := dict -}}
{{- include "gpt-oss.fillServed" (dict "root" . "into" $served) -}}
{{- $hidden := list .Values.frontend.env .Values.hardware.rdma -}}
{{- range .plan.workers -}}
  {{- $hidden = concat $hidden (list .options.env .nodes .options.engineConfigMap) -}}
{{- end -}}
{{- toJson (list $served $hidden) | sha256sum | trunc 16 -}}
{{- end -}}

{{/* A setting is in force on a worker or on the frontend, by its path there. Takes root and into. */}}
{{- define "gpt-oss.fillServed" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $gpus := dict -}}
{{- $intervals := dict -}}
{{- $settings := dict -}}
{{- range $root.plan.workers -}}
  {{- $before := get $gpus .role | default 0 -}}
  {{- $_ := set $gpus .role (add $before (mul (int .gpus) (int .replicas))) -}}
  {{- $_ := set $intervals .role (.engine.stream_interval | default 1 | int) -}}
  {{- include "gpt-oss.flat" (dict "into" $settings "at" .name "from" .engine) -}}
  {{- include "gpt-oss.flat" (dict "into" $settings "at" .name "from" (dict
        "replicas" (int .replicas) "env" (include "gpt-oss.shown" .options.env | fromJson) "extraArgs" .options.extraArgs)) -}}
{{- end -}}
{{- with $values.quantization.override -}}{{- $_ := set $settings "quantization.override" . -}}{{- end -}}
{{- if not $root.plan.serve -}}
  {{- include "gpt-oss.flat" (dict "into" $settings "at" "frontend" "from" (dict
        "replicas" (int $values.frontend.replicas) "routerMode" $values.frontend.routerMode
        "env" (include "gpt-oss.shown" $values.frontend.env | fromJson) "extraArgs" $values.frontend.extraArgs)) -}}
{{- end -}}
{{- $facts := dict
      "release" $values.runtime.release
      "runtime" $values.runtime.kind
      "image" $root.plan.image
      "model" $root.plan.servedName
      "revision" $values.model.revision
      "gpu" $values.hardware.gpu
      "gpus" $gpus
      "stream_interval" $intervals
      "settings" $settings -}}
{{- include "gpt-oss.merge" (dict "into" .into "from" $facts) -}}
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
