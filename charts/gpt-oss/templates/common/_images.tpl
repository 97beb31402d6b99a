{{/* Images: what the values name as it stands, else what the release ships, from the registry that
     global.imageRegistry names. */}}

{{/* What serves the model: under trtllm-serve the image of the TensorRT-LLM that the release ships. */}}
{{- define "gpt-oss.image" -}}
{{- if .Values.runtime.image -}}
{{- .Values.runtime.image -}}
{{- else -}}
{{- include "gpt-oss.releaseImage" (dict "root" . "release" .Values.runtime.release) -}}
{{- end -}}
{{- end -}}

{{/* What a release ships to serve the model. Takes root and release. */}}
{{- define "gpt-oss.releaseImage" -}}
{{- $facts := .root.plan.facts -}}
{{- $image := printf "%s:%s" $facts.image .release -}}
{{- if .root.plan.serve -}}{{- $image = printf "%s:%s" $facts.serveImage (get $facts.releases .release).trtllm -}}{{- end -}}
{{- include "gpt-oss.mirrored" (dict "root" .root "image" $image) -}}
{{- end -}}

{{- define "gpt-oss.dynamoImage" -}}
{{- include "gpt-oss.mirrored" (dict "root" . "image" (printf "%s:%s" .plan.facts.image .Values.runtime.release)) -}}
{{- end -}}

{{/* Image with aiperf, which TensorRT-LLM's own has not. */}}
{{- define "gpt-oss.aiperfImage" -}}
{{- if .plan.serve -}}{{- include "gpt-oss.dynamoImage" . -}}{{- else -}}{{- .plan.image -}}{{- end -}}
{{- end -}}

{{/* An image of the chart's own choice, from the mirror if there is one. Takes root and image. */}}
{{- define "gpt-oss.mirrored" -}}
{{- $registry := .root.Values.global.imageRegistry -}}
{{- if $registry -}}
{{- printf "%s/%s" (trimSuffix "/" $registry) (.image | splitList "/" | rest | join "/") -}}
{{- else -}}
{{- .image -}}
{{- end -}}
{{- end -}}

{{/* Operators that read the version from the tag refuse a tag that is none, unless it is given. */}}
{{- define "gpt-oss.runtimeVersionOverride" -}}
{{- $tag := .plan.image | splitList "/" | last | splitList "@" | first | splitList ":" | last -}}
{{- $pinned := contains "@" .plan.image -}}
{{- if and .plan.release.strictTags (or $pinned (not (regexMatch "^v?[0-9]+\\.[0-9]+\\.[0-9]+([-+].*)?$" $tag))) -}}
{{- .Values.runtime.release -}}
{{- end -}}
{{- end -}}
