{{/* Engine configurations: the file of a role with the worker's own settings merged over it. */}}

{{/* Takes root, worker (which gets its engine) and values. */}}
{{- define "gpt-oss.fillEngine" -}}
{{- $name := .worker.name -}}
{{- $engine := dict -}}
{{- with .values.engineConfig -}}
  {{- $path := printf "engine_configs/%s" . -}}
  {{- $text := $.root.Files.Get $path -}}
  {{- if not $text -}}
    {{- $known := list -}}
    {{- range $file, $_ := $.root.Files.Glob "engine_configs/**.yaml" -}}
      {{- $known = append $known (trimPrefix "engine_configs/" $file) -}}
    {{- end -}}
    {{- fail (printf "workers.%s.engineConfig: the chart has no %s; it has %s. A file of your own goes into workers.%s.engine, or into a ConfigMap that workers.%s.engineConfigMap names" $name $path (join ", " $known) $name $name) -}}
  {{- end -}}
  {{- $engine = fromYaml $text -}}
  {{- if hasKey $engine "Error" -}}
    {{- fail (printf "workers.%s.engineConfig: %s is not valid YAML: %s" $name $path $engine.Error) -}}
  {{- end -}}
{{- end -}}
{{- include "gpt-oss.merge" (dict "into" $engine "from" (.values.engine | default dict)) -}}
{{- include "gpt-oss.turnOff" $engine -}}
{{- $_ := set .worker "engine" $engine -}}
{{- with .values.engineConfigMap -}}
  {{- $_ := set $.worker "engineMap" .name -}}
{{- else -}}
  {{- $_ := set .worker "engineMap" (printf "%s-%s-engine-%s" .root.plan.name $name (toYaml $engine | sha256sum | trunc 8)) -}}
{{- end -}}
{{- end -}}

{{/* The word "off" is null, which Helm drops on its way from a parent chart. */}}
{{- define "gpt-oss.turnOff" -}}
{{- $map := . -}}
{{- range $key, $value := $map -}}
  {{- if kindIs "map" $value -}}
    {{- include "gpt-oss.turnOff" $value -}}
  {{- else if eq (toString $value) "off" -}}
    {{- $_ := set $map $key nil -}}
  {{- end -}}
{{- end -}}
{{- end -}}
