{{/* Merging. Every template here changes a map in place and gives no text. */}}

{{/* Merges one map into another. Takes into and from. Unlike mergeOverwrite it keeps null, false
     and 0: to TensorRT-LLM they are settings. */}}
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

{{/* Takes what is null out of a map and the maps below it. */}}
{{- define "gpt-oss.prune" -}}
{{- $map := . -}}
{{- range $key, $value := $map -}}
  {{- if kindIs "map" $value -}}
    {{- include "gpt-oss.prune" $value -}}
  {{- else if kindIs "invalid" $value -}}
    {{- $_ := unset $map $key -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Lays an escape hatch over what the chart made. Takes into and from. Null takes a field away;
     lists whose entries have a name are merged by it, volume mounts by their path, other lists are
     put behind the chart's; what a probe or hook does and what a volume is are replaced. */}}
{{- define "gpt-oss.overlay" -}}
{{- $into := .into -}}
{{- $hands := list "exec" "grpc" "httpGet" "sleep" "tcpSocket" -}}
{{- range $hand := $hands -}}
  {{- if get $.from $hand -}}
    {{- range $other := $hands -}}{{- $_ := unset $into $other -}}{{- end -}}
  {{- end -}}
{{- end -}}
{{- range $key, $value := .from -}}
  {{- $there := get $into $key -}}
  {{- if kindIs "invalid" $value -}}
    {{- $_ := unset $into $key -}}
  {{- else if and (kindIs "map" $value) (kindIs "map" $there) -}}
    {{- include "gpt-oss.overlay" (dict "into" $there "from" $value) -}}
  {{- else if and (kindIs "slice" $value) (kindIs "slice" $there) (not (has $key (list "command" "args"))) -}}
    {{- include "gpt-oss.overlayList" (dict "into" $into "key" $key "entries" $value) -}}
  {{- else -}}
    {{- $_ := set $into $key $value -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Merges entries into a list by name. Takes into, key and entries. */}}
{{- define "gpt-oss.overlayList" -}}
{{- $id := ternary "mountPath" "name" (eq .key "volumeMounts") -}}
{{- $whole := has .key (list "volumes" "env" "volumeMounts") -}}
{{- $list := get .into .key -}}
{{- range $entry := .entries -}}
  {{- $named := and (kindIs "map" $entry) (hasKey $entry $id) -}}
  {{- $kept := list -}}
  {{- $found := false -}}
  {{- range $there := $list -}}
    {{- if not (and $named (kindIs "map" $there) (eq (get $there $id) (get $entry $id))) -}}
      {{- $kept = append $kept $there -}}
    {{- else -}}
      {{- $found = true -}}
      {{- if $whole -}}
        {{- $kept = append $kept $entry -}}
      {{- else -}}
        {{- include "gpt-oss.overlay" (dict "into" $there "from" $entry) -}}
        {{- $kept = append $kept $there -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
  {{- $list = ternary $kept (append $kept $entry) $found -}}
{{- end -}}
{{- $_ := set .into .key $list -}}
{{- end -}}
