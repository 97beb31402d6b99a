{{/* What every pod of the chart shares: security, placement, environment, model cache. */}}

{{/* Environment as a list. Takes base and extra (maps of name to text or source). */}}
{{- define "gpt-oss.environment" -}}
{{- $all := merge dict (deepCopy .base) -}}
{{- range $name, $value := .extra -}}
  {{- $_ := set $all $name $value -}}
{{- end -}}
{{- range $name, $value := $all }}
{{- if kindIs "map" $value }}
- name: {{ $name }}
  valueFrom:
    {{- toYaml $value | nindent 4 }}
{{- else if not (kindIs "invalid" $value) }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Environment of everything that reads the cache: nothing is fetched at serving time. */}}
{{- define "gpt-oss.cacheEnvironment" -}}
HF_HOME: /opt/models
HF_HUB_OFFLINE: "1"
TIKTOKEN_ENCODINGS_BASE: /opt/models/tiktoken
{{- end -}}

{{/* Path of the pinned revision in the cache. */}}
{{- define "gpt-oss.snapshot" -}}
{{- printf "/opt/models/hub/models--%s/snapshots/%s" (.Values.model.id | replace "/" "--") .Values.model.revision -}}
{{- end -}}

{{- define "gpt-oss.tolerations" -}}
{{- if kindIs "slice" .Values.hardware.tolerations -}}
{{- toYaml .Values.hardware.tolerations -}}
{{- else -}}
- key: nvidia.com/gpu
  operator: Exists
  effect: NoSchedule
{{- if eq (include "gpt-oss.gpu" . | fromJson).architecture "arm64" }}
- key: kubernetes.io/arch
  operator: Equal
  value: arm64
  effect: NoSchedule
{{- end }}
{{- end -}}
{{- end -}}

{{/* Fields of a pod spec that every pod has, as YAML. */}}
{{- define "gpt-oss.podBase" -}}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
tolerations:
  {{- include "gpt-oss.tolerations" . | nindent 2 }}
{{- end -}}

{{/* Where workers run: the GPU's nodes. */}}
{{- define "gpt-oss.placement" -}}
{{- $gpu := include "gpt-oss.gpu" . | fromJson -}}
{{- if kindIs "map" .Values.hardware.nodeSelector -}}
{{- with .Values.hardware.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- else }}
nodeSelector:
  kubernetes.io/arch: {{ $gpu.architecture }}
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
                {{- toYaml $gpu.productLabels | nindent 16 }}
{{- end }}
{{- end -}}

{{/* Requests and limits of a container with the GPUs of a worker. Takes root and plan. */}}
{{- define "gpt-oss.gpuResources" -}}
{{- $gpu := include "gpt-oss.gpu" .root | fromJson -}}
{{- $gpus := int .plan.gpusPerPod -}}
{{- $memory := printf "%dGi" (mul $gpus ($gpu.memoryPerGpu | trimSuffix "Gi" | int)) -}}
{{- $least := dict "cpu" (mul $gpus $gpu.cpuPerGpu | toString) "memory" $memory -}}
{{- $devices := dict "nvidia.com/gpu" (toString $gpus) -}}
{{- with and .plan.rdma .root.Values.hardware.rdma.resource -}}
{{- $_ := set $devices . (get $.plan.options.resources.limits . | default (toString $gpus)) -}}
{{- end -}}
requests:
  {{- toYaml (merge (dict) $devices .plan.options.resources.requests $least) | nindent 2 }}
limits:
  {{- toYaml (merge (dict) $devices .plan.options.resources.limits) | nindent 2 }}
{{- end -}}

{{/* Whether a worker pins memory for RDMA beyond the node's limit. Takes root and plan. */}}
{{- define "gpt-oss.locksMemory" -}}
{{- and .plan.rdma .root.Values.hardware.rdma.lockMemory -}}
{{- end -}}

{{/* Security context of a worker's container. A capability does nothing for a user who is not root.
     Takes root and plan. */}}
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

{{/* Size of /dev/shm, through which the ranks talk. Takes plan. */}}
{{- define "gpt-oss.sharedMemory" -}}
{{- .plan.options.sharedMemory | default (printf "%dGi" (mul 20 (int .plan.gpusPerPod))) -}}
{{- end -}}

{{/* Volume with the engine configurations. */}}
{{- define "gpt-oss.engineVolume" -}}
name: engine
configMap:
  name: {{ include "gpt-oss.name" . }}-engine
{{- end -}}

{{/* An init container that waits until the cache holds the pinned revision and the vocabulary. */}}
{{- define "gpt-oss.waitForCache" -}}
- name: wait-for-model-cache
  image: {{ include "gpt-oss.image" . }}
  imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
  command: [python3, /etc/gpt-oss/scripts/model_cache.py, wait]
  env:
    {{- include "gpt-oss.environment" (dict "base" (include "gpt-oss.modelEnvironment" . | fromYaml) "extra" dict) | nindent 4 }}
  resources:
    requests: {cpu: 100m, memory: 256Mi}
  securityContext:
    {{- toYaml .Values.containerSecurityContext | nindent 4 }}
  volumeMounts:
    - {name: model-cache, mountPath: /opt/models, readOnly: true}
    - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
{{- end -}}

{{/* What model_cache.py needs to know. */}}
{{- define "gpt-oss.modelEnvironment" -}}
{{- $vocabulary := (include "gpt-oss.facts" . | fromJson).vocabulary -}}
HF_HOME: /opt/models
MODEL_ID: {{ .Values.model.id }}
MODEL_REVISION: {{ .Values.model.revision | quote }}
VOCABULARY_SHA256: {{ $vocabulary.sha256 | quote }}
{{- end -}}

{{/* Volumes of pods that read the cache. */}}
{{- define "gpt-oss.cacheVolumes" -}}
- name: model-cache
  persistentVolumeClaim:
    claimName: {{ include "gpt-oss.claimName" . }}
- name: scripts
  configMap:
    name: {{ include "gpt-oss.name" . }}-scripts
{{- end -}}

{{/* Checksum of the scripts, so that a pod or Job that runs them follows their content. */}}
{{- define "gpt-oss.scriptsChecksum" -}}
{{- $scripts := list -}}
{{- range $path, $content := .Files.Glob "files/*.py" -}}
{{- $scripts = append $scripts (toString $content) -}}
{{- end -}}
{{- join "\n" $scripts | sha256sum -}}
{{- end -}}
