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

{{- define "gpt-oss.image" -}}
{{- $facts := include "gpt-oss.facts" . | fromJson -}}
{{- .Values.runtime.image | default (printf "%s:%s" $facts.image .Values.runtime.release) -}}
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
