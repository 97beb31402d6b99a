{{/* The server of runtime.kind trtllm-serve: one container that loads the model and answers. */}}

{{/* Labels that select its pods; a Deployment's selector never changes. */}}
{{- define "gpt-oss.serverSelector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end -}}

{{/* Words of the command line: only what the engine YAML cannot say, for which of the two wins is
     another matter in each version. The model is the repository's id at the pinned commit, found
     offline in the cache: trtllm-serve lists a path under the name of its last folder.
     Takes root and plan. */}}
{{- define "gpt-oss.serverArgs" -}}
{{- $values := .root.Values -}}
- {{ $values.model.id }}
- --revision
- {{ $values.model.revision | quote }}
- --config
- /etc/gpt-oss/engine/{{ .plan.name }}.yaml
- --host
- 0.0.0.0
- --port
- "8000"
{{- if ne (include "gpt-oss.servedName" .root) $values.model.id }}
- --served_model_name
- {{ $values.model.servedName | quote }}
{{- end }}
{{- range .plan.options.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Loading takes 15 to 30 minutes, and nothing listens before it is done: an hour to start. A
     server that is busy answers late, so that it is restarted only after a minute of silence. */}}
{{- define "gpt-oss.serverProbes" -}}
startupProbe:
  httpGet: {path: /health, port: http}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 360
readinessProbe:
  httpGet: {path: /health, port: http}
  periodSeconds: 10
  timeoutSeconds: 10
  failureThreshold: 3
livenessProbe:
  httpGet: {path: /health, port: http}
  periodSeconds: 10
  timeoutSeconds: 10
  failureThreshold: 6
{{- end -}}

{{/* Main container. Takes root and plan. */}}
{{- define "gpt-oss.serverContainer" -}}
{{- $environment := include "gpt-oss.cacheEnvironment" .root | fromYaml -}}
{{- /* Compiled kernels are kept at home; libraries ask for a user that the image may not know. */ -}}
{{- $_ := set $environment "HOME" "/home/server" -}}
{{- $_ := set $environment "USER" "server" -}}
{{- $_ := set $environment "TRTLLM_NO_USAGE_STATS" "1" -}}
{{- with .root.Values.quantization.override -}}
  {{- $_ := set $environment "OVERRIDE_QUANT_ALGO" . -}}
{{- end -}}
name: main
image: {{ include "gpt-oss.image" .root }}
imagePullPolicy: {{ .root.Values.runtime.imagePullPolicy }}
command: [trtllm-serve]
args:
  {{- include "gpt-oss.serverArgs" . | nindent 2 }}
env:
  {{- include "gpt-oss.environment" (dict "base" $environment "extra" .plan.options.env) | nindent 2 }}
ports:
  - {name: http, containerPort: 8000}
resources:
  {{- include "gpt-oss.gpuResources" . | nindent 2 }}
{{ include "gpt-oss.serverProbes" . }}
{{ include "gpt-oss.preStop" "5" }}
volumeMounts:
  - {name: model-cache, mountPath: /opt/models, readOnly: true}
  - {name: engine, mountPath: /etc/gpt-oss/engine, readOnly: true}
  - {name: home, mountPath: /home/server}
  - {name: shared-memory, mountPath: /dev/shm}
{{- end -}}

{{/* Pod template. Takes root and plan. */}}
{{- define "gpt-oss.serverTemplate" -}}
{{- $options := .plan.options -}}
{{- $volumes := concat (include "gpt-oss.cacheVolumes" .root | fromYamlArray) (list
      (include "gpt-oss.engineVolume" .root | fromYaml)
      (dict "name" "home" "emptyDir" dict)
      (dict "name" "shared-memory" "emptyDir" (dict "medium" "Memory" "sizeLimit" (include "gpt-oss.sharedMemory" .)))) -}}
{{- $spec := include "gpt-oss.placement" .root | fromYaml -}}
{{- $_ := set $spec "automountServiceAccountToken" false -}}
{{- $_ := set $spec "terminationGracePeriodSeconds" (include "gpt-oss.podGrace" (dict "root" .root "options" $options) | int) -}}
{{- $_ := set $spec "initContainers" (include "gpt-oss.waitForCache" .root | fromYamlArray) -}}
{{- $_ := set $spec "volumes" $volumes -}}
metadata:
  labels:
    {{- include "gpt-oss.podLabels" (dict "root" .root "component" "server" "options" $options) | nindent 4 }}
    gpt-oss.worker: {{ .plan.name }}
  annotations:
    {{- with $options.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    checksum/engine: {{ toYaml .plan.engine | sha256sum }}
    checksum/scripts: {{ include "gpt-oss.scriptsChecksum" .root }}
spec:
  {{- include "gpt-oss.podSpec" (dict "root" .root "options" $options "spec" $spec "main" (include "gpt-oss.serverContainer" . | fromYaml)) | nindent 2 }}
{{- end -}}
