{{/* What every pod of the chart shares: security, tolerations, environment, escape hatches. */}}

{{/* A pod template, as YAML. Takes root, component, options (the values of the pod), spec (YAML of a
     pod spec whose first container is the main one) and annotations (a map, or none). */}}
{{- define "gpt-oss.pod" -}}
{{- $pod := dict -}}
{{- include "gpt-oss.fillPod" (dict "into" $pod "pod" .) -}}
{{- toYaml $pod -}}
{{- end -}}

{{/* The same as a map, for what writes it in other ways. Takes into and pod. */}}
{{- define "gpt-oss.fillPod" -}}
{{- $root := .pod.root -}}
{{- $options := .pod.options -}}
{{- $spec := fromYaml .pod.spec -}}
{{- if hasKey $spec "Error" -}}{{- fail (printf "%s: its pod is not valid YAML: %s" .pod.component $spec.Error) -}}{{- end -}}
{{- include "gpt-oss.fillBase" (dict "root" $root "component" .pod.component "options" $options "spec" $spec) -}}
{{- $main := first $spec.containers -}}
{{- include "gpt-oss.overlay" (dict "into" $main "from" (dict "volumeMounts" ($options.extraVolumeMounts | default list))) -}}
{{- include "gpt-oss.overlay" (dict "into" $main "from" (deepCopy ($options.container | default dict))) -}}
{{- include "gpt-oss.overlay" (dict "into" $spec "from" (dict "volumes" ($options.extraVolumes | default list))) -}}
{{- include "gpt-oss.overlay" (dict "into" $spec "from" (deepCopy ($options.extraPodSpec | default dict))) -}}
{{- $metadata := dict "labels" (include "gpt-oss.podLabels" .pod | fromYaml) -}}
{{- with merge (dict) (.pod.annotations | default dict) ($options.podAnnotations | default dict) -}}
  {{- $_ := set $metadata "annotations" . -}}
{{- end -}}
{{- $_ := set .into "metadata" $metadata -}}
{{- $_ := set .into "spec" $spec -}}
{{- end -}}

{{/* Fields that every pod and container has unless it says otherwise. Takes root, component, options
     and spec. */}}
{{- define "gpt-oss.fillBase" -}}
{{- $values := .root.Values -}}
{{- $base := dict "securityContext" (deepCopy $values.podSecurityContext) "tolerations" (include "gpt-oss.tolerations" .root | fromYamlArray) -}}
{{- $secrets := list -}}
{{- range concat ($values.global.imagePullSecrets | default list) $values.imagePullSecrets -}}
  {{- $secrets = append $secrets (kindIs "string" . | ternary (dict "name" .) .) -}}
{{- end -}}
{{- with uniq $secrets -}}{{- $_ := set $base "imagePullSecrets" . -}}{{- end -}}
{{- range $key := list "priorityClassName" "runtimeClassName" "schedulerName" -}}
  {{- with get $.options $key | default (get $values.global $key) -}}{{- $_ := set $base $key . -}}{{- end -}}
{{- end -}}
{{- with .options.topologySpreadConstraints -}}
  {{- $_ := set $base "topologySpreadConstraints" (include "gpt-oss.spread" (dict "root" $.root "component" $.component "constraints" .) | fromYamlArray) -}}
{{- end -}}
{{- range $key, $value := $base -}}
  {{- if not (hasKey $.spec $key) -}}{{- $_ := set $.spec $key $value -}}{{- end -}}
{{- end -}}
{{- range concat .spec.containers (.spec.initContainers | default list) -}}
  {{- if not (hasKey . "securityContext") -}}
    {{- $_ := set . "securityContext" (deepCopy $values.containerSecurityContext) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Environment as a list. Takes base and extra (maps of name to text, number or source). */}}
{{- define "gpt-oss.environment" -}}
{{- $all := deepCopy .base -}}
{{- include "gpt-oss.merge" (dict "into" $all "from" .extra) -}}
{{- range $name, $value := $all }}
{{- if kindIs "map" $value }}
- name: {{ $name | quote }}
  valueFrom:
    {{- toYaml $value | nindent 4 }}
{{- else if not (kindIs "invalid" $value) }}
- name: {{ $name | quote }}
  value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "gpt-oss.tolerations" -}}
{{- if kindIs "slice" .Values.hardware.tolerations -}}
{{- toYaml .Values.hardware.tolerations -}}
{{- else -}}
- key: nvidia.com/gpu
  operator: Exists
  effect: NoSchedule
{{- if eq .plan.gpu.architecture "arm64" }}
- key: kubernetes.io/arch
  operator: Equal
  value: arm64
  effect: NoSchedule
{{- end }}
{{- end -}}
{{- end -}}

{{/* Where the values say that a pod runs; it may run anywhere. */}}
{{- define "gpt-oss.placed" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- else }}
{{- include "gpt-oss.elsewhere" $ }}
{{- end }}
{{- include "gpt-oss.tolerated" . }}
{{- end -}}

{{- define "gpt-oss.tolerated" -}}
{{- if kindIs "slice" .tolerations }}
tolerations:
  {{- toYaml .tolerations | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Pods without GPUs leave the nodes that have some to those with, where there are others. */}}
{{- define "gpt-oss.elsewhere" }}
affinity:
  nodeAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        preference:
          matchExpressions:
            - {key: nvidia.com/gpu.product, operator: DoesNotExist}
{{- end -}}

{{/* Requests and limits of a container, as YAML. Takes resources (of the values), and cpu and memory
     to ask for unless they say otherwise. */}}
{{- define "gpt-oss.resources" -}}
requests:
  {{- toYaml (merge (dict) (.resources.requests | default dict) (dict "cpu" .cpu "memory" .memory)) | nindent 2 }}
{{- with .resources.limits }}
limits:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The same for a container that waits or asks, with limits of its own: a quota on limits admits no
     pod without, and what a namespace gives by default may be too little for others. */}}
{{- define "gpt-oss.smallResources" -}}
{{- $limits := dict "cpu" "1" "memory" (ternary "2Gi" "512Mi" (eq .memory "1Gi")) -}}
{{- include "gpt-oss.merge" (dict "into" $limits "from" .resources.limits) -}}
{{- include "gpt-oss.prune" $limits -}}
{{- include "gpt-oss.resources" (dict "resources" (dict "requests" .resources.requests "limits" $limits) "cpu" "100m" "memory" .memory) -}}
{{- end -}}

{{/* Security context of a container that writes to its volumes alone. */}}
{{- define "gpt-oss.sealed" -}}
{{- $security := dict "readOnlyRootFilesystem" true -}}
{{- include "gpt-oss.merge" (dict "into" $security "from" (deepCopy .Values.containerSecurityContext)) -}}
securityContext:
  {{- toYaml $security | nindent 2 }}
{{- end -}}
