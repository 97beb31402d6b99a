{{/* The graph: components in one form, written in the way of either version of the resource. */}}

{{/* Puts all components into a spec. Takes root and into. */}}
{{- define "gpt-oss.fillGraph" -}}
{{- $root := .root -}}
{{- $old := eq $root.plan.apiVersion "v1alpha1" -}}
{{- $entries := list -}}
{{- $frontend := dict "name" "frontend" "options" $root.Values.frontend "entry" dict -}}
{{- include "gpt-oss.fillFrontend" (dict "root" $root "component" $frontend) -}}
{{- $components := list $frontend -}}
{{- range $worker := $root.plan.workers -}}
  {{- $component := dict "name" $worker.name "options" $worker.options "entry" dict -}}
  {{- include "gpt-oss.fillWorker" (dict "root" $root "component" $component "worker" $worker) -}}
  {{- $components = append $components $component -}}
{{- end -}}
{{- range $component := $components -}}
  {{- include "gpt-oss.stamp" (dict "root" $root "component" $component) -}}
  {{- include (ternary "gpt-oss.fillService" "gpt-oss.fillEntry" $old) (dict "root" $root "component" $component) -}}
  {{- include "gpt-oss.overlay" (dict "into" $component.entry "from" (deepCopy $component.options.component)) -}}
  {{- $entries = append $entries (dict "name" $component.name "entry" $component.entry) -}}
{{- end -}}
{{- range $name, $entry := $root.Values.components -}}
  {{- if $entry -}}{{- $entries = append $entries (dict "name" $name "entry" (deepCopy $entry)) -}}{{- end -}}
{{- end -}}
{{- $services := dict -}}
{{- range $entries -}}{{- $_ := set $services .name .entry -}}{{- end -}}
{{- if $old -}}
  {{- $_ := set .into "services" $services -}}
{{- else -}}
  {{- /* By name, as the operator's conversion has them from a map: another order would be drift. */ -}}
  {{- $list := list -}}
  {{- range $name, $entry := $services -}}{{- $list = append $list (set $entry "name" $name) -}}{{- end -}}
  {{- $_ := set .into "components" $list -}}
{{- end -}}
{{- include "gpt-oss.overlay" (dict "into" .into "from" (deepCopy $root.Values.graph.spec)) -}}
{{- end -}}

{{/* What both versions say with the same words. Takes root and component. */}}
{{- define "gpt-oss.fillShared" -}}
{{- $component := .component -}}
{{- $entry := $component.entry -}}
{{- if $component.options.autoscaling.enabled -}}
  {{- /* An autoscaler owns the replicas, through the adapter that the operator then makes. */ -}}
  {{- $_ := set $entry "scalingAdapter" (ternary (dict "enabled" true) dict (eq .root.plan.apiVersion "v1alpha1")) -}}
{{- else -}}
  {{- $_ := set $entry "replicas" (int $component.replicas) -}}
{{- end -}}
{{- if gt (int $component.nodes) 1 -}}
  {{- $_ := set $entry "multinode" (dict "nodeCount" (int $component.nodes)) -}}
{{- end -}}
{{- with include "gpt-oss.runtimeVersionOverride" .root -}}
  {{- $_ := set $entry "runtimeVersionOverride" . -}}
{{- end -}}
{{- end -}}

{{/* v1alpha1: pod fields under extraPodSpec, resources and shared memory beside it. */}}
{{- define "gpt-oss.fillService" -}}
{{- include "gpt-oss.fillShared" . -}}
{{- $component := .component -}}
{{- $entry := $component.entry -}}
{{- $split := has $component.type (list "prefill" "decode") -}}
{{- $_ := set $entry "componentType" (ternary "worker" $component.type $split) -}}
{{- if $split -}}{{- $_ := set $entry "subComponentType" $component.type -}}{{- end -}}
{{- with $component.sharedMemory -}}{{- $_ := set $entry "sharedMemory" (dict "size" .) -}}{{- end -}}
{{- $main := first $component.pod.spec.containers -}}
{{- $resources := dict -}}
{{- range $kind := list "requests" "limits" -}}
  {{- with get ($main.resources | default dict) $kind -}}
    {{- include "gpt-oss.fillQuantities" (dict "into" $resources "kind" $kind "quantities" .) -}}
  {{- end -}}
{{- end -}}
{{- with $main.resources.claims -}}{{- $_ := set $resources "claims" . -}}{{- end -}}
{{- $_ := set $entry "resources" $resources -}}
{{- $_ := set $entry "extraPodMetadata" $component.pod.metadata -}}
{{- $spec := omit $component.pod.spec "containers" -}}
{{- with rest $component.pod.spec.containers -}}{{- $_ := set $spec "containers" . -}}{{- end -}}
{{- $_ := set $spec "mainContainer" (omit $main "name" "resources") -}}
{{- $_ := set $entry "extraPodSpec" $spec -}}
{{- end -}}

{{/* Quantities as v1alpha1 names them. Takes into, kind and quantities. */}}
{{- define "gpt-oss.fillQuantities" -}}
{{- $known := dict "cpu" "cpu" "memory" "memory" "nvidia.com/gpu" "gpu" -}}
{{- $amounts := dict -}}
{{- $custom := dict -}}
{{- range $name, $quantity := .quantities -}}
  {{- with get $known $name -}}
    {{- $_ := set $amounts . (toString $quantity) -}}
  {{- else -}}
    {{- $_ := set $custom $name (toString $quantity) -}}
  {{- end -}}
{{- end -}}
{{- with $custom -}}{{- $_ := set $amounts "custom" . -}}{{- end -}}
{{- $_ := set .into .kind $amounts -}}
{{- end -}}

{{/* v1beta1: a pod template, and the types prefill and decode. */}}
{{- define "gpt-oss.fillEntry" -}}
{{- include "gpt-oss.fillShared" . -}}
{{- $entry := .component.entry -}}
{{- $_ := set $entry "type" .component.type -}}
{{- with .component.sharedMemory -}}{{- $_ := set $entry "sharedMemorySize" . -}}{{- end -}}
{{- $_ := set $entry "podTemplate" .component.pod -}}
{{- end -}}

{{/* How the operator replaces pods that it runs as Deployments; Grove has its own way. Takes root and
     into. */}}
{{- define "gpt-oss.fillUpdateStrategy" -}}
{{- with .root.Values.updateStrategy -}}
  {{- $annotations := dict "nvidia.com/deployment-strategy" (.type | default "RollingUpdate") -}}
  {{- range $key, $name := dict "maxSurge" "max-surge" "maxUnavailable" "max-unavailable" -}}
    {{- $amount := get ($.root.Values.updateStrategy.rollingUpdate | default dict) $key -}}
    {{- if not (has (toString $amount) (list "" "<nil>")) -}}
      {{- $_ := set $annotations (printf "nvidia.com/deployment-rolling-update-%s" $name) (toString $amount) -}}
    {{- end -}}
  {{- end -}}
  {{- $_ := set $.into "annotations" $annotations -}}
{{- end -}}
{{- end -}}
