{{/* The arithmetic of a target, in one place: GPUs from engine configs. */}}

{{/* What a worker is without options; values.yaml cannot hold it, for it holds no workers. */}}
{{- define "gpt-oss.workerDefaults" -}}
replicas: 1
env: {}
resources: {requests: {}, limits: {}}
podAnnotations: {}
podLabels: {}
extraArgs: []
extraVolumes: []
extraVolumeMounts: []
extraPodSpec: {}
terminationGracePeriodSeconds: null
{{- end -}}

{{/* A worker with everything derived, as YAML. Takes root, name and worker. */}}
{{- define "gpt-oss.worker" -}}
{{- $options := include "gpt-oss.workerDefaults" . | fromYaml -}}
{{- include "gpt-oss.merge" (dict "into" $options "from" (omit .worker "engine")) -}}
{{- $gpu := include "gpt-oss.gpu" .root | fromJson -}}
{{- $engine := include "gpt-oss.engine" . | fromYaml -}}
{{- $tensor := $engine.tensor_parallel_size | default 1 | int -}}
{{- $pipeline := $engine.pipeline_parallel_size | default 1 | int -}}
{{- $context := $engine.context_parallel_size | default 1 | int -}}
{{- $gpus := mul $tensor $pipeline $context -}}
{{- $nodes := .worker.nodes | default (divf $gpus $gpu.gpusPerNode | ceil) | int -}}
name: {{ .name }}
role: {{ .worker.role }}
replicas: {{ int $options.replicas }}
gpus: {{ $gpus }}
nodes: {{ $nodes }}
gpusPerPod: {{ div $gpus $nodes }}
rdma: {{ and .root.Values.hardware.rdma.resource (or (ne .worker.role "aggregated") (gt $nodes 1)) | empty | not }}
product: {{ printf "tensor_parallel_size %d × pipeline_parallel_size %d" $tensor $pipeline }}
{{- if gt $context 1 }} × context_parallel_size {{ $context }}{{ end }}
options:
  {{- toYaml $options | nindent 2 }}
engine:
  {{- toYaml $engine | nindent 2 }}
{{- end -}}

{{/* The whole target, as YAML: workers, gpus, and whether it is disaggregated. */}}
{{- define "gpt-oss.plan" -}}
{{- $root := . -}}
{{- $gpus := 0 -}}
{{- $workers := list -}}
{{- $disaggregated := false -}}
{{- range $name, $worker := .Values.workers -}}
  {{- if not $worker -}}{{- continue -}}{{- end -}}
  {{- $derived := include "gpt-oss.worker" (dict "root" $root "name" $name "worker" $worker) | fromYaml -}}
  {{- $workers = append $workers $derived -}}
  {{- $gpus = add $gpus (mul (int $derived.gpus) (int $derived.replicas)) -}}
  {{- if ne $worker.role "aggregated" -}}{{- $disaggregated = true -}}{{- end -}}
{{- end -}}
gpus: {{ $gpus }}
disaggregated: {{ $disaggregated }}
workers:
  {{- toYaml $workers | nindent 2 }}
{{- end -}}
