{{/* What the chart knows about releases, GPUs and shipped targets; files/facts.json is generated. */}}

{{- define "gpt-oss.facts" -}}
{{- .Files.Get "files/facts.json" -}}
{{- end -}}

{{/* Facts of the release that is chosen, as JSON. */}}
{{- define "gpt-oss.release" -}}
{{- $facts := include "gpt-oss.facts" . | fromJson -}}
{{- get $facts.releases .Values.runtime.release | toJson -}}
{{- end -}}

{{/* Facts of the GPU that is chosen, as JSON. */}}
{{- define "gpt-oss.gpu" -}}
{{- $facts := include "gpt-oss.facts" . | fromJson -}}
{{- get $facts.gpus .Values.hardware.gpu | toJson -}}
{{- end -}}

{{/* Version of the resource: the newest that the release recommends, unless set. */}}
{{- define "gpt-oss.apiVersion" -}}
{{- $release := include "gpt-oss.release" . | fromJson -}}
{{- .Values.runtime.apiVersion | default (last $release.apiVersions) -}}
{{- end -}}

{{/* What serves the model: under trtllm-serve the image of the TensorRT-LLM that the release ships. */}}
{{- define "gpt-oss.image" -}}
{{- if .Values.runtime.image -}}
{{- .Values.runtime.image -}}
{{- else if eq .Values.runtime.kind "trtllm-serve" -}}
{{- $release := include "gpt-oss.release" . | fromJson -}}
{{- printf "%s:%s" (include "gpt-oss.facts" . | fromJson).serveImage $release.trtllm -}}
{{- else -}}
{{- include "gpt-oss.dynamoImage" . -}}
{{- end -}}
{{- end -}}

{{- define "gpt-oss.dynamoImage" -}}
{{- printf "%s:%s" (include "gpt-oss.facts" . | fromJson).image .Values.runtime.release -}}
{{- end -}}

{{/* Image with aiperf, which TensorRT-LLM's own has not. */}}
{{- define "gpt-oss.aiperfImage" -}}
{{- if eq .Values.runtime.kind "trtllm-serve" -}}
{{- include "gpt-oss.dynamoImage" . -}}
{{- else -}}
{{- include "gpt-oss.image" . -}}
{{- end -}}
{{- end -}}

{{/* Operators that read the version from the tag refuse a tag that is none, unless it is given. */}}
{{- define "gpt-oss.runtimeVersionOverride" -}}
{{- $release := include "gpt-oss.release" . | fromJson -}}
{{- $tag := include "gpt-oss.image" . | splitList "/" | last | splitList "@" | first | splitList ":" | last -}}
{{- $pinned := contains "@" (include "gpt-oss.image" .) -}}
{{- if and $release.strictTags (or $pinned (not (regexMatch "^v?[0-9]+\\.[0-9]+\\.[0-9]+([-+].*)?$" $tag))) -}}
{{- .Values.runtime.release -}}
{{- end -}}
{{- end -}}
