{{/* Guards: what can only be a mistake fails here, with the value to set. */}}

{{- define "gpt-oss.guard" -}}
{{- $facts := include "gpt-oss.facts" . | fromJson -}}
{{- if not .Values.workers -}}
  {{- $lines := list -}}
  {{- range $name, $target := $facts.targets -}}
    {{- $lines = append $lines (printf "  -f values/%s.yaml    %s" $name $target) -}}
  {{- end -}}
  {{- fail (printf "no target: values.yaml holds no workers. Add one of the shipped targets, or workers of your own:\n%s" (join "\n" $lines)) -}}
{{- end -}}
{{- if not .Values.hardware.gpu -}}
  {{- fail (printf "hardware.gpu is not set; set it to one of %s" (keys $facts.gpus | sortAlpha | join ", ")) -}}
{{- end -}}
{{- include "gpt-oss.guardNoRole" . -}}
{{- $serve := eq .Values.runtime.kind "trtllm-serve" -}}
{{- if $serve -}}{{- include "gpt-oss.guardServer" . -}}{{- else -}}{{- include "gpt-oss.guardRelease" . -}}{{- end -}}
{{- include "gpt-oss.guardJobNames" . -}}
{{- include "gpt-oss.guardMonitoring" . -}}
{{- include "gpt-oss.guardRoles" . -}}
{{- $workers := (include "gpt-oss.plan" . | fromYaml).workers -}}
{{- range $workers -}}
  {{- include "gpt-oss.guardWorker" (dict "root" $ "plan" .) -}}
{{- end -}}
{{- if not $serve -}}
{{- include "gpt-oss.guardName" (dict "root" . "workers" $workers) -}}
{{- end -}}
{{- if .Values.benchmark.enabled -}}
  {{- include "gpt-oss.guardTraffic" . -}}
{{- end -}}
{{- if .Values.accuracy.enabled -}}
  {{- include "gpt-oss.guardAccuracy" . -}}
{{- end -}}
{{- end -}}

{{- define "gpt-oss.guardRelease" -}}
{{- $release := include "gpt-oss.release" . | fromJson -}}
{{- $version := include "gpt-oss.apiVersion" . -}}
{{- if not (has $version $release.apiVersions) -}}
  {{- fail (printf "runtime.apiVersion: the operator of release %s does not serve %s; set it to %s or leave it out" .Values.runtime.release $version (join " or " $release.apiVersions)) -}}
{{- end -}}
{{- if not (has .Values.frontend.routerMode $release.routerModes) -}}
  {{- fail (printf "frontend.routerMode: release %s has no %s; set it to one of %s" .Values.runtime.release .Values.frontend.routerMode (join ", " $release.routerModes)) -}}
{{- end -}}
{{- if and (ne (include "gpt-oss.servedName" .) .Values.model.id) (not $release.selfHostMetadata) -}}
  {{- fail (printf "model.servedName: release %s finds a model only by its id; set it to %s or set runtime.release to 1.2.1 or newer" .Values.runtime.release .Values.model.id) -}}
{{- end -}}
{{- if and .Values.frontend.enforceDisagg (eq $release.enforceDisagg "refused") -}}
  {{- fail (printf "frontend.enforceDisagg: the frontend of release %s has no such flag; leave it out or set runtime.release to 1.1.1 or newer" .Values.runtime.release) -}}
{{- end -}}
{{- end -}}

{{/* A worker without a role is mostly another one misspelt, in an overlay or a --set. */}}
{{- define "gpt-oss.guardNoRole" -}}
{{- $whole := list -}}
{{- $without := list -}}
{{- range $name, $worker := .Values.workers -}}
  {{- if $worker -}}
    {{- if $worker.role -}}{{- $whole = append $whole $name -}}{{- else -}}{{- $without = append $without $name -}}{{- end -}}
  {{- end -}}
{{- end -}}
{{- with first $without -}}
  {{- $others := ternary (printf ", or write the name of another worker: %s" (join ", " $whole)) "" (not (empty $whole)) -}}
  {{- fail (printf "workers.%s has no role; set it to aggregated, prefill or decode%s" . $others) -}}
{{- end -}}
{{- end -}}

{{- define "gpt-oss.guardRoles" -}}
{{- $roles := dict -}}
{{- range $name, $worker := .Values.workers -}}
  {{- with $worker -}}{{- $_ := set $roles .role $name -}}{{- end -}}
{{- end -}}
{{- if and (hasKey $roles "prefill") (not (hasKey $roles "decode")) -}}
  {{- fail (printf "workers.%s has role prefill, but no worker has role decode; add one" $roles.prefill) -}}
{{- end -}}
{{- if and (hasKey $roles "decode") (not (hasKey $roles "prefill")) -}}
  {{- fail (printf "workers.%s has role decode, but no worker has role prefill; add one" $roles.decode) -}}
{{- end -}}
{{- if and (hasKey $roles "aggregated") (gt (len $roles) 1) -}}
  {{- fail (printf "workers.%s has role aggregated beside prefill and decode workers; keep one kind of serving" $roles.aggregated) -}}
{{- end -}}
{{- end -}}

{{/* Takes root and plan. */}}
{{- define "gpt-oss.guardWorker" -}}
{{- $name := .plan.name -}}
{{- $gpu := include "gpt-oss.gpu" .root | fromJson -}}
{{- $gpus := int .plan.gpus -}}
{{- $nodes := int .plan.nodes -}}
{{- if eq $name "frontend" -}}
  {{- fail "workers.frontend: the name is the frontend's; give the worker another one" -}}
{{- end -}}
{{- with .plan.options.gpus -}}
  {{- if ne (int .) $gpus -}}
    {{- fail (printf "workers.%s.engine: %s needs %d GPUs, but workers.%s.gpus is %d; set it to %d or leave it out" $name $.plan.product $gpus $name (int .) $gpus) -}}
  {{- end -}}
{{- end -}}
{{- if ne (mod $gpus $nodes) 0 -}}
  {{- fail (printf "workers.%s.nodes: %d GPUs do not divide over %d nodes; set it to %d" $name $gpus $nodes (divf $gpus $gpu.gpusPerNode | ceil | int)) -}}
{{- end -}}
{{- if gt (int .plan.gpusPerPod) (int $gpu.gpusPerNode) -}}
  {{- fail (printf "workers.%s.nodes: %d GPUs on one node, but a %s node has %d; set it to %d" $name (int .plan.gpusPerPod) $gpu.name (int $gpu.gpusPerNode) (divf $gpus $gpu.gpusPerNode | ceil | int)) -}}
{{- end -}}
{{- range $limits := list .plan.options.resources.requests .plan.options.resources.limits -}}
  {{- with get $limits "nvidia.com/gpu" -}}
    {{- fail (printf "workers.%s.resources: GPUs follow from the engine config; leave nvidia.com/gpu out" $name) -}}
  {{- end -}}
{{- end -}}
{{- include "gpt-oss.guardExperts" . -}}
{{- end -}}

{{/* Takes plan. */}}
{{- define "gpt-oss.guardExperts" -}}
{{- $engine := .plan.engine -}}
{{- $tensor := $engine.tensor_parallel_size | default 1 | int -}}
{{- $expert := $engine.moe_expert_parallel_size | default 1 | int -}}
{{- $moe := $engine.moe_tensor_parallel_size | default (div $tensor $expert) | int -}}
{{- if and (gt $expert 0) (gt $moe -1) (ne (mul $expert $moe) $tensor) -}}
  {{- fail (printf "workers.%s.engine: moe_expert_parallel_size %d × moe_tensor_parallel_size %d is %d, but tensor_parallel_size is %d; they must be equal" .plan.name $expert $moe (mul $expert $moe) $tensor) -}}
{{- end -}}
{{- end -}}

{{/* The operator refuses longer names unless Grove is off; the longest component decides. From
     release 1.2 on it shortens the release name, to 8 characters if it must.
     Takes root and workers. */}}
{{- define "gpt-oss.guardName" -}}
{{- $release := include "gpt-oss.name" .root -}}
{{- $shortens := semverCompare ">=1.2.0-0" .root.Values.runtime.release -}}
{{- $kept := ternary (trunc 8 $release) $release $shortens -}}
{{- $longest := "frontend" -}}
{{- $parts := "frontend (8)" -}}
{{- range .workers -}}
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
{{- if and (gt (int $length) 45) (ne (get .root.Values.annotations "nvidia.com/enable-grove") "false") -}}
  {{- $do := ternary "use shorter names for workers" (printf "use a release name of at most %d" (sub 45 (len $longest))) $shortens -}}
  {{- fail (printf "release name: %s (%d) + %s is %d characters, but the operator allows 45; %s" $kept (len $kept) $parts (int $length) $do) -}}
{{- end -}}
{{- range .workers -}}
  {{- $service := printf "%s-%s" $release .name -}}
  {{- if gt (len $service) 63 -}}
    {{- fail (printf "release name: the Service %s would have %d characters, but a name has at most 63; use a release name of at most %d" $service (len $service) (sub 62 (len .name))) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{- define "gpt-oss.guardJobNames" -}}
{{- $longest := sub 63 (len "-benchmark-12345678") -}}
{{- if gt (len .Release.Name) (int $longest) -}}
  {{- fail (printf "release name: %s (%d) + -benchmark- and a hash (19) is %d characters, but the name of a Job has at most 63; use a release name of at most %d" .Release.Name (len .Release.Name) (add (len .Release.Name) 19) $longest) -}}
{{- end -}}
{{- end -}}
