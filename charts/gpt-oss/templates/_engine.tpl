{{/* Engine configurations: the file of a role with the worker's own settings merged over it. */}}

{{/* Merges one map into another in place. Takes into and from. Unlike mergeOverwrite it keeps
     null, false and 0: to TensorRT-LLM they are settings. */}}
{{- define "gpt-oss.merge" -}}
{{- $into := .into -}}
{{- range $key, $value := .from -}}
  {{- if and (kindIs "map" $value) (kindIs "map" (get $into $key)) -}}
    {{- include "gpt-oss.merge" (dict "into" (get $into $key) "from" $value) -}}
  {{- else -}}
    {{- $_ := set $into $key $value -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Engine configuration of a worker, as YAML. Takes root, name and worker. */}}
{{- define "gpt-oss.engine" -}}
{{- $engine := dict -}}
{{- with .worker.engineConfig -}}
  {{- $path := printf "engine_configs/%s" . -}}
  {{- $text := $.root.Files.Get $path -}}
  {{- if not $text -}}
    {{- $known := list -}}
    {{- range $file, $_ := $.root.Files.Glob "engine_configs/**.yaml" -}}
      {{- $known = append $known (trimPrefix "engine_configs/" $file) -}}
    {{- end -}}
    {{- fail (printf "workers.%s.engineConfig: the chart has no %s; it has %s" $.name $path (join ", " $known)) -}}
  {{- end -}}
  {{- $engine = fromYaml $text -}}
  {{- if hasKey $engine "Error" -}}
    {{- fail (printf "workers.%s.engineConfig: %s is not valid YAML: %s" $.name $path $engine.Error) -}}
  {{- end -}}
{{- end -}}
{{- include "gpt-oss.merge" (dict "into" $engine "from" (.worker.engine | default dict)) -}}
{{- toYaml $engine -}}
{{- end -}}
