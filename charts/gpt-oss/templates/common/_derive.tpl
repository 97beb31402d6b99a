{{/* What every template reads, made once a chart: it is the first thing that each of them includes.
     .Values becomes the merge of the chart's defaults, the target, overlays and what its user sets;
     .plan is what follows from it. */}}

{{- define "gpt-oss.derive" -}}
{{- if not (hasKey . "plan") -}}
  {{- $_ := set . "plan" (dict "facts" (.Files.Get "files/facts.json" | fromJson)) -}}
  {{- include "gpt-oss.guardCharacters" . -}}
  {{- include "gpt-oss.mergeValues" . -}}
  {{- include "gpt-oss.guardChoice" . -}}
  {{- include "gpt-oss.fillPlan" . -}}
  {{- include "gpt-oss.guard" . -}}
  {{- include "gpt-oss.guardChange" . -}}
{{- end -}}
{{- end -}}

{{/* Lays what was chosen over defaults.yaml. values.yaml sets nothing, so that .Values is the user's. */}}
{{- define "gpt-oss.mergeValues" -}}
{{- $given := dict -}}
{{- with .Values.target -}}
  {{- include "gpt-oss.layer" (dict "root" $ "into" $given "key" "target" "folder" "targets" "name" .) -}}
{{- end -}}
{{- range .Values.overlays -}}
  {{- include "gpt-oss.layer" (dict "root" $ "into" $given "key" "overlays" "folder" "overlays" "name" .) -}}
{{- end -}}
{{- include "gpt-oss.merge" (dict "into" $given "from" (deepCopy .Values)) -}}
{{- $defaults := .Files.Get "defaults.yaml" | fromYaml -}}
{{- $merged := deepCopy $defaults -}}
{{- include "gpt-oss.merge" (dict "into" $merged "from" $given) -}}
{{- range $key := list "podSecurityContext" "containerSecurityContext" -}}
  {{- include "gpt-oss.prune" (get $merged $key) -}}
{{- end -}}
{{- if $merged.openshift.enabled -}}
  {{- range $id := list "runAsUser" "runAsGroup" "fsGroup" -}}
    {{- $_ := unset $merged.podSecurityContext $id -}}
  {{- end -}}
{{- end -}}
{{- $_ := set . "Values" $merged -}}
{{- $_ := set .plan "defaults" $defaults -}}
{{- end -}}

{{/* Merges a values file of the package. Takes root, into, key, folder and name. */}}
{{- define "gpt-oss.layer" -}}
{{- $text := .root.Files.Get (printf "%s/%s.yaml" .folder .name) -}}
{{- if not $text -}}
  {{- $known := list -}}
  {{- range $path, $_ := .root.Files.Glob (printf "%s/*.yaml" .folder) -}}
    {{- $known = append $known (base $path | trimSuffix ".yaml") -}}
  {{- end -}}
  {{- fail (printf "%s: the chart has no %s; it has %s" .key .name (join ", " $known)) -}}
{{- end -}}
{{- include "gpt-oss.merge" (dict "into" .into "from" (fromYaml $text)) -}}
{{- end -}}
