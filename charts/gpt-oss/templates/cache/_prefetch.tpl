{{/* What prepares the GPU nodes: images that are pulled before they are needed. */}}

{{/* A pod on each GPU node, all at once. Takes root, component and template (text). */}}
{{- define "gpt-oss.nodesDaemonSet" -}}
apiVersion: apps/v1
kind: DaemonSet
metadata:
  {{- include "gpt-oss.metadata" (dict "root" .root "component" .component "name" (printf "%s-%s" .root.plan.name .component)) | nindent 2 }}
spec:
  selector:
    matchLabels:
      {{- include "gpt-oss.selector" . | nindent 6 }}
  updateStrategy:
    type: RollingUpdate
    rollingUpdate: {maxUnavailable: 100%}
  template:
    {{- .template | nindent 4 }}
{{- end -}}

{{- define "gpt-oss.prefetchPod" -}}
{{- $images := list -}}
{{- range .Values.prefetch.releases -}}
  {{- $images = append $images (include "gpt-oss.releaseImage" (dict "root" $ "release" .)) -}}
{{- end -}}
terminationGracePeriodSeconds: 1
automountServiceAccountToken: false
{{ include "gpt-oss.placement" . }}
initContainers:
  {{- range $number, $image := concat $images .Values.prefetch.images | uniq }}
  - name: pull-{{ $number }}
    image: {{ $image | quote }}
    imagePullPolicy: {{ $.Values.runtime.imagePullPolicy }}
    command: ["true"]
    resources:
      {{- include "gpt-oss.resources" (dict "resources" $.Values.prefetch.resources "cpu" "10m" "memory" "32Mi") | nindent 6 }}
    {{- include "gpt-oss.sealed" $ | nindent 4 }}
  {{- end }}
containers:
  - name: keep
    image: {{ .plan.image | quote }}
    imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
    command: [sleep, infinity]
    resources:
      {{- include "gpt-oss.resources" (dict "resources" .Values.prefetch.resources "cpu" "10m" "memory" "32Mi") | nindent 6 }}
    {{- include "gpt-oss.sealed" . | nindent 4 }}
{{- end -}}
