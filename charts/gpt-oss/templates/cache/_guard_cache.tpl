{{/* Settings of the model cache that contradict each other. */}}

{{- define "gpt-oss.guardCache" -}}
{{- $cache := .Values.modelCache -}}
{{- $given := list -}}
{{- range $key := list "existingClaim" "hostPath" "image" -}}
  {{- if get $cache $key -}}{{- $given = append $given (printf "modelCache.%s" $key) -}}{{- end -}}
{{- end -}}
{{- if gt (len $given) 1 -}}
  {{- fail (printf "%s: the weights lie in one volume; keep one of them" (join " and " $given)) -}}
{{- end -}}
{{- if and $cache.readOnly .plan.cache.own -}}
  {{- fail "modelCache.readOnly: the claim that is created is empty, and nothing could fill it; name a filled one in modelCache.existingClaim" -}}
{{- end -}}
{{- $why := ternary "modelCache.image" (ternary "modelCache.readOnly" "modelCache.download.enabled: false" $cache.readOnly) (not (empty $cache.image)) -}}
{{- if and $cache.download.source (not .plan.cache.filled) -}}
  {{- fail (printf "modelCache.download.source: with %s nothing is fetched; leave one of them out" $why) -}}
{{- end -}}
{{- with .Values.prefetch.revisions -}}
  {{- if not $.plan.cache.filled -}}
    {{- fail (printf "prefetch.revisions: with %s nothing is fetched; leave one of them out" $why) -}}
  {{- end -}}
  {{- if or $cache.download.source $cache.path -}}
    {{- fail (printf "prefetch.revisions: they come from the hub, in the layout of its cache; leave %s out, or bring the next checkpoint there yourself" (ternary "modelCache.download.source" "modelCache.path" (not (empty $cache.download.source)))) -}}
  {{- end -}}
{{- end -}}
{{- end -}}
