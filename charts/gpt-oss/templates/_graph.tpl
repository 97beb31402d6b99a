{{/* The two ways to write a component. Each takes root and component. */}}

{{/* v1alpha1: pod fields under extraPodSpec, resources and shared memory beside it. */}}
{{- define "gpt-oss.service" -}}
{{- $component := .component -}}
{{- $main := first $component.podSpec.containers -}}
componentType: {{ ternary "worker" $component.type (has $component.type (list "prefill" "decode")) }}
{{- if has $component.type (list "prefill" "decode") }}
subComponentType: {{ $component.type }}
{{- end }}
replicas: {{ $component.replicas }}
{{- if gt (int $component.nodes) 1 }}
multinode:
  nodeCount: {{ $component.nodes }}
{{- end }}
{{- with include "gpt-oss.runtimeVersionOverride" .root }}
runtimeVersionOverride: {{ . | quote }}
{{- end }}
{{- with $component.sharedMemory }}
sharedMemory:
  size: {{ . }}
{{- end }}
resources:
  {{- range $kind, $quantities := $main.resources }}
  {{ $kind }}:
    {{- range $name, $quantity := $quantities }}
    {{- if has $name (list "cpu" "memory") }}
    {{ $name }}: {{ $quantity | toString | quote }}
    {{- else if eq $name "nvidia.com/gpu" }}
    gpu: {{ $quantity | toString | quote }}
    {{- end }}
    {{- end }}
    {{- $custom := omit $quantities "cpu" "memory" "nvidia.com/gpu" }}
    {{- with $custom }}
    custom:
      {{- range $name, $quantity := . }}
      {{ $name }}: {{ $quantity | toString | quote }}
      {{- end }}
    {{- end }}
  {{- end }}
extraPodMetadata:
  labels:
    {{- toYaml $component.labels | nindent 4 }}
  {{- with $component.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
extraPodSpec:
  {{- $spec := omit $component.podSpec "containers" }}
  {{- with rest $component.podSpec.containers }}
  {{- $_ := set $spec "containers" . }}
  {{- end }}
  {{- toYaml $spec | nindent 2 }}
  mainContainer:
    {{- toYaml (omit $main "name" "resources") | nindent 4 }}
{{- end -}}

{{/* v1beta1: a pod template, and the types prefill and decode. */}}
{{- define "gpt-oss.componentEntry" -}}
{{- $component := .component -}}
name: {{ $component.name }}
type: {{ $component.type }}
replicas: {{ $component.replicas }}
{{- if gt (int $component.nodes) 1 }}
multinode:
  nodeCount: {{ $component.nodes }}
{{- end }}
{{- with include "gpt-oss.runtimeVersionOverride" .root }}
runtimeVersionOverride: {{ . | quote }}
{{- end }}
{{- with $component.sharedMemory }}
sharedMemorySize: {{ . }}
{{- end }}
podTemplate:
  metadata:
    labels:
      {{- toYaml $component.labels | nindent 6 }}
    {{- with $component.annotations }}
    annotations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  spec:
    {{- toYaml $component.podSpec | nindent 4 }}
{{- end -}}
