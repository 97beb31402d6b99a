{{/* The server of runtime.kind trtllm-serve: one container that loads the model and answers. */}}

{{/* Its pod template. Takes root, worker and into. */}}
{{- define "gpt-oss.fillServer" -}}
{{- $options := deepCopy .worker.options -}}
{{- $_ := set $options "podLabels" (merge (dict "gpt-oss.worker" .worker.name) $options.podLabels) -}}
{{- $annotations := dict "checksum/scripts" (include "gpt-oss.scriptsChecksum" (dict "root" .root "scripts" (list "model_cache.py"))) -}}
{{- include "gpt-oss.fillPod" (dict "into" .into "pod" (dict "root" .root "component" "server" "options" $options
      "spec" (include "gpt-oss.serverPod" .) "annotations" $annotations)) -}}
{{- include "gpt-oss.stamp" (dict "root" .root "component" (dict
      "name" "server" "pod" .into "replicas" .worker.replicas "nodes" 1 "options" .worker.options)) -}}
{{- end -}}

{{- define "gpt-oss.serverPod" -}}
{{- $values := .root.Values -}}
{{- /* Compiled kernels are kept at home; libraries ask for a user that the image may not know. */ -}}
{{- $environment := dict "HOME" "/home/server" "USER" "server" "TRTLLM_NO_USAGE_STATS" "1" -}}
{{- include "gpt-oss.fillCacheEnvironment" (dict "into" $environment) -}}
{{- with $values.quantization.override -}}
  {{- $_ := set $environment "OVERRIDE_QUANT_ALGO" . -}}
{{- end -}}
{{- include "gpt-oss.placement" .root }}
{{- include "gpt-oss.account" (dict "root" .root) }}
terminationGracePeriodSeconds: {{ include "gpt-oss.podGrace" (dict "root" .root "options" .worker.options) }}
initContainers:
  {{- include "gpt-oss.waitForCache" .root | nindent 2 }}
{{- with include "gpt-oss.claimsOfPod" . }}
resourceClaims:
  {{- . | nindent 2 }}
{{- end }}
containers:
  - name: main
    image: {{ .root.plan.image | quote }}
    imagePullPolicy: {{ $values.runtime.imagePullPolicy }}
    command: [trtllm-serve]
    args:
      {{- include "gpt-oss.serverArgs" . | nindent 6 }}
    env:
      {{- include "gpt-oss.environment" (dict "base" $environment "extra" .worker.options.env) | nindent 6 }}
    ports:
      - {name: http, containerPort: 8000}
    resources:
      {{- include "gpt-oss.gpuResources" . | nindent 6 }}
    # Loading takes 15 to 30 minutes, and nothing listens before it is done: an hour to start. A
    # server that is busy answers late, so that it is restarted only after a minute of silence.
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
    {{- include "gpt-oss.preStop" "5" | nindent 4 }}
    volumeMounts:
      {{- include "gpt-oss.cacheMounts" .root | nindent 6 }}
      - {name: engine, mountPath: /etc/gpt-oss/engine, readOnly: true}
      - {name: home, mountPath: /home/server}
      - {name: shared-memory, mountPath: /dev/shm}
volumes:
  {{- include "gpt-oss.cacheVolumes" .root | nindent 2 }}
  {{- include "gpt-oss.engineVolume" . | nindent 2 }}
  - {name: home, emptyDir: {}}
  - name: shared-memory
    emptyDir: {medium: Memory, sizeLimit: {{ include "gpt-oss.sharedMemory" . | quote }}}
{{- end -}}

{{/* Words of the command line: only what the engine YAML cannot say, for which of the two wins is
     another matter in each version. The model is the repository's id at the pinned commit, found
     offline in the cache: trtllm-serve lists a path under the name of its last folder.
     Takes root and worker. */}}
{{- define "gpt-oss.serverArgs" -}}
- {{ .root.Values.model.id | quote }}
- --revision
- {{ .root.Values.model.revision | quote }}
- --config
- /etc/gpt-oss/engine/{{ .worker.name }}.yaml
- --host
- 0.0.0.0
- --port
- "8000"
{{- if ne .root.plan.servedName .root.Values.model.id }}
- --served_model_name
- {{ .root.plan.servedName | quote }}
{{- end }}
{{- range .worker.options.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}
