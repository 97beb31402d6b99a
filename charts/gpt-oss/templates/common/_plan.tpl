{{/* The arithmetic of a target, in one place: names, images, and GPUs from engine configs. */}}

{{/* What a worker is without options; defaults.yaml cannot hold it, for it holds no workers. */}}
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
autoscaling: {enabled: false}
pdb: {enabled: false}
container: {}
component: {}
engineConfigMap: null
computeDomain: true
resourceClaims: []
terminationGracePeriodSeconds: null
{{- end -}}

{{- define "gpt-oss.fillPlan" -}}
{{- $plan := .plan -}}
{{- $values := .Values -}}
{{- $serve := eq $values.runtime.kind "trtllm-serve" -}}
{{- $release := get $plan.facts.releases $values.runtime.release -}}
{{- $_ := set $plan "serve" $serve -}}
{{- $_ := set $plan "release" $release -}}
{{- $_ := set $plan "gpu" (get $plan.facts.gpus $values.hardware.gpu) -}}
{{- $_ := set $plan "version" (ternary $release.trtllm $values.runtime.release $serve) -}}
{{- $_ := set $plan "apiVersion" ($values.runtime.apiVersion | default (last $release.apiVersions)) -}}
{{- $_ := set $plan "name" (include "gpt-oss.name" .) -}}
{{- $_ := set $plan "serviceName" (printf "%s-%s" $plan.name (ternary "server" "frontend" $serve)) -}}
{{- $_ := set $plan "endpoint" (printf "http://%s:8000" $plan.serviceName) -}}
{{- $_ := set $plan "servedName" ($values.model.servedName | default $values.model.id) -}}
{{- include "gpt-oss.fillCache" . -}}
{{- $_ := set $plan "image" (include "gpt-oss.image" .) -}}
{{- $_ := set $plan "aiperfImage" (include "gpt-oss.aiperfImage" .) -}}
{{- include "gpt-oss.fillWorkers" . -}}
{{- end -}}

{{- define "gpt-oss.fillWorkers" -}}
{{- $defaults := include "gpt-oss.workerDefaults" . | fromYaml -}}
{{- $workers := list -}}
{{- $gpus := 0 -}}
{{- $disaggregated := false -}}
{{- range $name, $values := .Values.workers -}}
  {{- if not $values -}}{{- continue -}}{{- end -}}
  {{- $options := deepCopy $defaults -}}
  {{- include "gpt-oss.merge" (dict "into" $options "from" (omit $values "engine")) -}}
  {{- $replicas := $options.replicas -}}
  {{- if $options.autoscaling.enabled -}}{{- $replicas = $options.autoscaling.minReplicas | default $replicas -}}{{- end -}}
  {{- $worker := dict "name" $name "role" $values.role "replicas" (int $replicas) "options" $options -}}
  {{- include "gpt-oss.fillEngine" (dict "root" $ "worker" $worker "values" $values) -}}
  {{- include "gpt-oss.fillSizes" (dict "root" $ "worker" $worker) -}}
  {{- $workers = append $workers $worker -}}
  {{- $gpus = add $gpus (mul $worker.gpus $worker.replicas) -}}
  {{- if ne $values.role "aggregated" -}}{{- $disaggregated = true -}}{{- end -}}
{{- end -}}
{{- $_ := set .plan "workers" $workers -}}
{{- $_ := set .plan "gpus" $gpus -}}
{{- $_ := set .plan "disaggregated" $disaggregated -}}
{{- end -}}

{{/* GPUs and nodes of a worker, from its parallel sizes. Takes root and worker. */}}
{{- define "gpt-oss.fillSizes" -}}
{{- $worker := .worker -}}
{{- $tensor := $worker.engine.tensor_parallel_size | default 1 | int -}}
{{- $pipeline := $worker.engine.pipeline_parallel_size | default 1 | int -}}
{{- $context := $worker.engine.context_parallel_size | default 1 | int -}}
{{- $gpus := mul $tensor $pipeline $context -}}
{{- if $worker.options.engineConfigMap -}}{{- $gpus = $worker.options.gpus | default 1 | int -}}{{- end -}}
{{- $nodes := $worker.options.nodes | default (divf $gpus .root.plan.gpu.gpusPerNode | ceil) | int -}}
{{- $product := printf "tensor_parallel_size %d × pipeline_parallel_size %d" $tensor $pipeline -}}
{{- if gt $context 1 -}}{{- $product = printf "%s × context_parallel_size %d" $product $context -}}{{- end -}}
{{- $rdma := and .root.Values.hardware.rdma.resource (or (ne $worker.role "aggregated") (gt $nodes 1)) -}}
{{- $_ := set $worker "gpus" $gpus -}}
{{- $_ := set $worker "nodes" $nodes -}}
{{- $_ := set $worker "gpusPerPod" (div $gpus $nodes) -}}
{{- $_ := set $worker "product" $product -}}
{{- $_ := set $worker "rdma" (not (empty $rdma)) -}}
{{- end -}}
