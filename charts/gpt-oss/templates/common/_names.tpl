{{/* Names and labels. */}}

{{/* What all objects are named after: the release, so that two targets live in one namespace; as a
     dependency of another chart the release and this chart's name or alias. What a Service cannot be
     called (dots, a digit first, more than 53 characters) is made into something that it can, with a
     hash that keeps apart what was. */}}
{{- define "gpt-oss.name" -}}
{{- $wanted := .Release.Name -}}
{{- if contains "/charts/" .Template.BasePath -}}
  {{- $wanted = printf "%s-%s" .Release.Name (include "gpt-oss.appName" .) -}}
{{- end -}}
{{- $wanted = .Values.fullnameOverride | default $wanted -}}
{{- $name := $wanted | replace "." "-" -}}
{{- if regexMatch "^[0-9]" $name -}}{{- $name = printf "gpt-oss-%s" $name -}}{{- end -}}
{{- if or (ne $name $wanted) (gt (len $name) 53) -}}
  {{- $name = printf "%s-%s" ($name | trunc 44 | trimSuffix "-") ($wanted | sha256sum | trunc 8) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- define "gpt-oss.appName" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* A name with something behind it, within the limit of what the object's labels hold.
     Takes root and parts. */}}
{{- define "gpt-oss.shortName" -}}
{{- $tail := join "-" .parts -}}
{{- $most := sub 62 (len $tail) | int -}}
{{- $name := .root.plan.name -}}
{{- if gt (len $name) $most -}}
  {{- $name = printf "%s-%s" ($name | trunc (int (sub $most 9)) | trimSuffix "-") ($name | sha256sum | trunc 8) -}}
{{- end -}}
{{- printf "%s-%s" $name $tail -}}
{{- end -}}

{{/* A Job is immutable: a name that changes with its content lets GitOps replace it.
     Takes root, kind and the content as text. */}}
{{- define "gpt-oss.jobName" -}}
{{- include "gpt-oss.shortName" (dict "root" .root "parts" (list .kind (.template | sha256sum | trunc 8))) -}}
{{- end -}}

{{/* Labels that select pods of one component; a Deployment's selector never changes.
     Takes root and component. */}}
{{- define "gpt-oss.selector" -}}
app.kubernetes.io/name: {{ include "gpt-oss.appName" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
{{- with .component }}
app.kubernetes.io/component: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Name, namespace and labels of an object. Takes root, name, component (or none) and labels and
     annotations (maps, or none). */}}
{{- define "gpt-oss.metadata" -}}
name: {{ .name | quote }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "gpt-oss.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .root.plan.version | quote }}
  app.kubernetes.io/managed-by: {{ .root.Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
  {{- with merge (dict) (.labels | default dict) (.root.Values.global.labels | default dict) }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Labels of one kind of pod, with the user's. Takes root, component and options. */}}
{{- define "gpt-oss.podLabels" -}}
{{- include "gpt-oss.selector" . }}
{{- with merge (dict) (.options.podLabels | default dict) (.root.Values.global.labels | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end -}}
