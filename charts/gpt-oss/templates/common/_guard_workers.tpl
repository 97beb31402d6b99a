{{/* Guards of workers and of the names that follow from them. */}}

{{/* Takes root and worker. */}}
{{- define "gpt-oss.guardWorker" -}}
{{- $name := .worker.name -}}
{{- $gpu := .root.plan.gpu -}}
{{- $gpus := int .worker.gpus -}}
{{- $nodes := int .worker.nodes -}}
{{- if eq $name "frontend" -}}
  {{- fail "workers.frontend: the name is the frontend's; give the worker another one" -}}
{{- end -}}
{{- if .worker.options.engineConfigMap -}}
  {{- if or .worker.engine .worker.options.engineConfig -}}
    {{- fail (printf "workers.%s.engineConfigMap: the file in the ConfigMap is the whole engine configuration; leave workers.%s.%s out" $name $name (ternary "engine" "engineConfig" (empty .worker.options.engineConfig))) -}}
  {{- end -}}
  {{- if not .worker.options.gpus -}}
    {{- fail (printf "workers.%s.gpus is not set, and the parallel sizes stand in a ConfigMap that the chart cannot read; set it to their product" $name) -}}
  {{- end -}}
{{- end -}}
{{- with .worker.options.gpus -}}
  {{- if ne (int .) $gpus -}}
    {{- fail (printf "workers.%s.engine: %s needs %d GPUs, but workers.%s.gpus is %d; set it to %d or leave it out" $name $.worker.product $gpus $name (int .) $gpus) -}}
  {{- end -}}
{{- end -}}
{{- if ne (mod $gpus $nodes) 0 -}}
  {{- fail (printf "workers.%s.nodes: %d GPUs do not divide over %d nodes; set it to %d" $name $gpus $nodes (divf $gpus $gpu.gpusPerNode | ceil | int)) -}}
{{- end -}}
{{- if gt (int .worker.gpusPerPod) (int $gpu.gpusPerNode) -}}
  {{- fail (printf "workers.%s.nodes: %d GPUs on one node, but a %s node has %d; set it to %d" $name (int .worker.gpusPerPod) $gpu.name (int $gpu.gpusPerNode) (divf $gpus $gpu.gpusPerNode | ceil | int)) -}}
{{- end -}}
{{- range $limits := list .worker.options.resources.requests .worker.options.resources.limits -}}
  {{- with get $limits "nvidia.com/gpu" -}}
    {{- fail (printf "workers.%s.resources: GPUs follow from the engine config; leave nvidia.com/gpu out" $name) -}}
  {{- end -}}
{{- end -}}
{{- include "gpt-oss.guardExperts" . -}}
{{- include "gpt-oss.guardClaims" . -}}
{{- end -}}

{{/* Takes worker. */}}
{{- define "gpt-oss.guardExperts" -}}
{{- $engine := .worker.engine -}}
{{- $tensor := $engine.tensor_parallel_size | default 1 | int -}}
{{- $expert := $engine.moe_expert_parallel_size | default 1 | int -}}
{{- $moe := $engine.moe_tensor_parallel_size | default (div $tensor $expert) | int -}}
{{- if and (gt $expert 0) (gt $moe -1) (ne (mul $expert $moe) $tensor) -}}
  {{- fail (printf "workers.%s.engine: moe_expert_parallel_size %d × moe_tensor_parallel_size %d is %d, but tensor_parallel_size is %d; they must be equal" .worker.name $expert $moe (mul $expert $moe) $tensor) -}}
{{- end -}}
{{- end -}}

{{/* The operator refuses longer names unless Grove is off; the longest component decides. From
     release 1.2 on it shortens the release name, to 8 characters if it must. */}}
{{- define "gpt-oss.guardName" -}}
{{- $release := .plan.name -}}
{{- $shortens := semverCompare ">=1.2.0-0" .Values.runtime.release -}}
{{- $kept := ternary (trunc 8 $release) $release $shortens -}}
{{- $longest := "frontend" -}}
{{- $parts := "frontend (8)" -}}
{{- range .plan.workers -}}
  {{- $name := ternary (printf "%s%s-ldr" .name .name) .name (gt (int .nodes) 1) -}}
  {{- if gt (len $name) (len $longest) -}}
    {{- $longest = $name -}}
    {{- $parts = printf "%s (%d)" .name (len .name) -}}
    {{- if gt (int .nodes) 1 -}}
      {{- $parts = printf "%s + %s-ldr (%d)" $parts .name (add (len .name) 4) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- $length := add (len $kept) (len $longest) -}}
{{- if and (gt (int $length) 45) (ne (get .Values.annotations "nvidia.com/enable-grove") "false") -}}
  {{- $do := ternary "use shorter names for workers" (printf "use a release name (or fullnameOverride) of at most %d" (sub 45 (len $longest))) $shortens -}}
  {{- fail (printf "release name: %s (%d) + %s is %d characters, but the operator allows 45; %s" $kept (len $kept) $parts (int $length) $do) -}}
{{- end -}}
{{- include "gpt-oss.guardNamesAsLabels" . -}}
{{- range .plan.workers -}}
  {{- $service := printf "%s-%s" $release .name -}}
  {{- if gt (len $service) 63 -}}
    {{- fail (printf "release name: the Service %s would have %d characters, but a name has at most 63; use a release name (or fullnameOverride) of at most %d" $service (len $service) (sub 62 (len .name))) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Pods get names as labels, which have at most 63 characters: always that of the namespace and the
     graph, and where Grove is off that of the worker's Deployment, which ends in a hash. */}}
{{- define "gpt-oss.guardNamesAsLabels" -}}
{{- $name := .plan.name -}}
{{- $label := printf "%s-%s" .Release.Namespace $name -}}
{{- $most := sub 62 (len .Release.Namespace) -}}
{{- if gt (len $label) 63 -}}
  {{- fail (printf "release name: pods would get the label nvidia.com/dynamo-namespace: %s with %d characters, but a label has at most 63; in this namespace use a release name (or fullnameOverride) of at most %d" $label (len $label) (int $most)) -}}
{{- end -}}
{{- if eq (get .Values.annotations "nvidia.com/enable-grove") "false" -}}
  {{- $longest := "" -}}
  {{- range .plan.workers -}}
    {{- if and (eq (int .nodes) 1) (gt (len .name) (len $longest)) -}}{{- $longest = .name -}}{{- end -}}
  {{- end -}}
  {{- $selector := printf "%s-%s-<hash>" $name $longest -}}
  {{- $most := sub 53 (len $longest) -}}
  {{- if and $longest (gt (len $name) (int $most)) -}}
    {{- fail (printf "release name: without Grove pods would get the label nvidia.com/selector: %s with a hash of 8 characters, but a label has at most 63; use a release name (or fullnameOverride) of at most %d" $selector (int $most)) -}}
  {{- end -}}
{{- end -}}
{{- end -}}
