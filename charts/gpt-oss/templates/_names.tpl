{{/* Names and labels: every object of a release is named after it, so that two targets live in
     one namespace. */}}

{{- define "gpt-oss.name" -}}
{{- .Release.Name -}}
{{- end -}}

{{- define "gpt-oss.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ include "gpt-oss.version" . | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Version of what serves. */}}
{{- define "gpt-oss.version" -}}
{{- if eq .Values.runtime.kind "trtllm-serve" -}}
{{- (include "gpt-oss.release" . | fromJson).trtllm -}}
{{- else -}}
{{- .Values.runtime.release -}}
{{- end -}}
{{- end -}}

{{/* Labels of one kind of pod, with the user's. Takes root, component and options. */}}
{{- define "gpt-oss.podLabels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- with .options.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gpt-oss.claimName" -}}
{{- .Values.modelCache.existingClaim | default (printf "%s-model-cache" (include "gpt-oss.name" .)) -}}
{{- end -}}

{{/* Service that answers: the chart's own, or the one that the operator makes for the frontend. */}}
{{- define "gpt-oss.serviceName" -}}
{{- $part := ternary "server" "frontend" (eq .Values.runtime.kind "trtllm-serve") -}}
{{- printf "%s-%s" (include "gpt-oss.name" .) $part -}}
{{- end -}}

{{- define "gpt-oss.endpoint" -}}
{{- printf "http://%s:8000" (include "gpt-oss.serviceName" .) -}}
{{- end -}}

{{- define "gpt-oss.servedName" -}}
{{- .Values.model.servedName | default .Values.model.id -}}
{{- end -}}

{{/* A Job is immutable: a name that changes with its content lets GitOps replace it.
     Takes root, kind and the pod template as text. */}}
{{- define "gpt-oss.jobName" -}}
{{- printf "%s-%s-%s" (include "gpt-oss.name" .root) .kind (.template | sha256sum | trunc 8) -}}
{{- end -}}
