{{/* What serves, made once a chart: the object's spec, and by what its pods are known. */}}

{{/* Puts into the plan, as serving: spec, of a graph or of the pod template of a server, and
     components, by name the checksum of its pods and how many there are (null: an autoscaler
     decides). */}}
{{- define "gpt-oss.fillServing" -}}
{{- if not (hasKey .plan "serving") -}}
  {{- $serving := dict "spec" dict "components" dict -}}
  {{- $_ := set .plan "serving" $serving -}}
  {{- if .plan.serve -}}
    {{- include "gpt-oss.fillServer" (dict "root" . "worker" (first .plan.workers) "into" $serving.spec) -}}
  {{- else -}}
    {{- $_ := set $serving.spec "backendFramework" "trtllm" -}}
    {{- include "gpt-oss.fillUpdateStrategy" (dict "root" . "into" $serving.spec) -}}
    {{- include "gpt-oss.fillGraph" (dict "root" . "into" $serving.spec) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Annotates pods with the checksum of all that makes them another, by which Jobs tell that a
     rollout has finished. Takes root and component: name, pod, replicas, nodes, sharedMemory and
     options. */}}
{{- define "gpt-oss.stamp" -}}
{{- $component := .component -}}
{{- $checksum := pick $component "pod" "nodes" "sharedMemory" | toYaml | sha256sum | trunc 16 -}}
{{- $expected := dict "checksum" $checksum "pods" (mul (int $component.replicas) (int $component.nodes)) -}}
{{- with $component.options.autoscaling -}}
  {{- if .enabled -}}{{- $_ := set $expected "pods" nil -}}{{- end -}}
{{- end -}}
{{- $metadata := $component.pod.metadata -}}
{{- $stamp := printf "%s/%s/%s" .root.plan.name $component.name $checksum -}}
{{- $_ := set $metadata "annotations" (merge (dict "gpt-oss/rollout" $stamp) ($metadata.annotations | default dict)) -}}
{{- $_ := set .root.plan.serving.components $component.name $expected -}}
{{- end -}}
