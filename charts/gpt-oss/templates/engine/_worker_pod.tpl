{{/* What pods of workers share, in a graph or as a server: nodes, devices, volumes. */}}

{{/* Where workers run: the GPU's nodes. */}}
{{- define "gpt-oss.placement" -}}
{{- if kindIs "map" .Values.hardware.nodeSelector -}}
{{- with .Values.hardware.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- else }}
nodeSelector:
  kubernetes.io/arch: {{ .plan.gpu.architecture }}
{{- end }}
{{- if kindIs "map" .Values.hardware.affinity }}
{{- with .Values.hardware.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- else }}
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions:
            - key: nvidia.com/gpu.product
              operator: In
              values:
                {{- toYaml .plan.gpu.productLabels | nindent 16 }}
{{- end }}
{{- end -}}

{{/* Requests and limits of a container with the GPUs of a worker. Takes root and worker. */}}
{{- define "gpt-oss.gpuResources" -}}
{{- $gpu := .root.plan.gpu -}}
{{- $gpus := int .worker.gpusPerPod -}}
{{- $given := .worker.options.resources -}}
{{- $least := dict "cpu" (mul $gpus $gpu.cpuPerGpu | toString) "memory" (printf "%dGi" (mul $gpus ($gpu.memoryPerGpu | trimSuffix "Gi" | int))) -}}
{{- $devices := ternary (dict) (dict "nvidia.com/gpu" (toString $gpus)) .root.Values.hardware.dra.enabled -}}
{{- with and .worker.rdma .root.Values.hardware.rdma.resource -}}
{{- $_ := set $devices . (get $given.limits . | default (toString $gpus)) -}}
{{- end -}}
requests:
  {{- toYaml (merge (dict) $devices $given.requests $least) | nindent 2 }}
limits:
  {{- toYaml (merge (dict) $devices $given.limits) | nindent 2 }}
{{- with include "gpt-oss.claimsOfContainer" . }}
claims:
  {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Whether a worker pins memory for RDMA beyond the node's limit. Takes root and worker. */}}
{{- define "gpt-oss.locksMemory" -}}
{{- and .worker.rdma .root.Values.hardware.rdma.lockMemory -}}
{{- end -}}

{{- define "gpt-oss.locksMemoryAnywhere" -}}
{{- $any := false -}}
{{- range .plan.workers -}}
  {{- if eq (include "gpt-oss.locksMemory" (dict "root" $ "worker" .)) "true" -}}{{- $any = true -}}{{- end -}}
{{- end -}}
{{- $any -}}
{{- end -}}

{{/* Security context of a worker's container. A capability does nothing for a user who is not root.
     Takes root and worker. */}}
{{- define "gpt-oss.workerSecurity" -}}
{{- $security := deepCopy .root.Values.containerSecurityContext -}}
{{- if eq (include "gpt-oss.locksMemory" .) "true" -}}
{{- $capabilities := $security.capabilities | default dict -}}
{{- $_ := set $capabilities "add" (append ($capabilities.add | default list) "IPC_LOCK" | uniq) -}}
{{- $_ := set $security "capabilities" $capabilities -}}
{{- $_ := set $security "runAsUser" 0 -}}
{{- $_ := set $security "runAsNonRoot" false -}}
{{- end -}}
{{- toYaml $security -}}
{{- end -}}

{{/* Size of /dev/shm, through which the ranks talk. Takes worker. */}}
{{- define "gpt-oss.sharedMemory" -}}
{{- .worker.options.sharedMemory | default (printf "%dGi" (mul 20 (int .worker.gpusPerPod))) -}}
{{- end -}}

{{/* Volume with the engine configuration. Takes worker. */}}
{{- define "gpt-oss.engineVolume" -}}
- name: engine
  configMap:
    name: {{ .worker.engineMap | quote }}
{{- with .worker.options.engineConfigMap }}
    items:
      - {key: {{ .key | quote }}, path: {{ $.worker.name }}.yaml}
{{- end }}
{{- end -}}
