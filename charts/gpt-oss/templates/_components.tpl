{{/* Components of the graph in one form, from which both versions of the resource are written. */}}

{{/* Pod spec with one main container, as YAML, with the options of the pod merged over it.
     Takes root, options, main (a container) and spec (more fields of the pod). */}}
{{- define "gpt-oss.podSpec" -}}
{{- $spec := include "gpt-oss.podBase" .root | fromYaml -}}
{{- include "gpt-oss.merge" (dict "into" $spec "from" .spec) -}}
{{- $_ := set $spec "volumes" (concat ($spec.volumes | default list) .options.extraVolumes) -}}
{{- $_ := set .main "volumeMounts" (concat (.main.volumeMounts | default list) .options.extraVolumeMounts) -}}
{{- $_ := set .main "securityContext" (.main.securityContext | default .root.Values.containerSecurityContext) -}}
{{- $more := deepCopy .options.extraPodSpec -}}
{{- $containers := concat (list .main) ($more.containers | default list) -}}
{{- include "gpt-oss.merge" (dict "into" $spec "from" (omit $more "containers")) -}}
{{- $_ := set $spec "containers" $containers -}}
{{- toYaml $spec -}}
{{- end -}}

{{/* Whether to ask the frontend to refuse what prefill workers should do while there are none.
     Releases that always do so ignore the flag, with a warning. */}}
{{- define "gpt-oss.enforceDisagg" -}}
{{- $release := include "gpt-oss.release" . | fromJson -}}
{{- $plan := include "gpt-oss.plan" . | fromYaml -}}
{{- $wanted := .Values.frontend.enforceDisagg -}}
{{- if kindIs "invalid" $wanted -}}{{- $wanted = $plan.disaggregated -}}{{- end -}}
{{- and $wanted (eq $release.enforceDisagg "effective") -}}
{{- end -}}

{{/* The frontend's main container. */}}
{{- define "gpt-oss.frontendContainer" -}}
{{- $environment := include "gpt-oss.cacheEnvironment" . | fromYaml -}}
{{- $_ := set $environment "HOME" "/home/frontend" -}}
{{- if (include "gpt-oss.release" . | fromJson).frontendWaits -}}
  {{- $_ := set $environment "DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS" (int .Values.shutdown.longestAnswerSeconds) -}}
{{- end -}}
name: main
image: {{ include "gpt-oss.image" . }}
imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
command: [python3, -m, dynamo.frontend]
args:
  - --router-mode
  - {{ .Values.frontend.routerMode }}
  {{- if eq (include "gpt-oss.enforceDisagg" .) "true" }}
  - --enforce-disagg
  {{- end }}
  {{- with include "gpt-oss.migrationLimit" . | int }}
  - --migration-limit
  - {{ . | quote }}
  {{- end }}
  {{- range .Values.frontend.extraArgs }}
  - {{ . | quote }}
  {{- end }}
env:
  {{- include "gpt-oss.environment" (dict "base" $environment "extra" .Values.frontend.env) | nindent 2 }}
resources:
  requests:
    {{- toYaml (merge (dict) .Values.frontend.resources.requests (dict "cpu" "4" "memory" "8Gi")) | nindent 4 }}
  {{- with .Values.frontend.resources.limits }}
  limits:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- /* A frontend that is told to go loses what is being prefilled. */}}
{{ include "gpt-oss.preStop" "30" }}
volumeMounts:
  - {name: model-cache, mountPath: /opt/models, readOnly: true}
  - {name: home, mountPath: /home/frontend}
{{- end -}}

{{/* The frontend as a component. Its home must be writable: it keeps model cards there. */}}
{{- define "gpt-oss.frontend" -}}
{{- $options := .Values.frontend -}}
{{- $volumes := append (include "gpt-oss.cacheVolumes" . | fromYamlArray) (dict "name" "home" "emptyDir" dict) -}}
{{- $spec := dict "terminationGracePeriodSeconds" (include "gpt-oss.podGrace" (dict "root" . "options" $options) | int)
      "initContainers" (include "gpt-oss.waitForCache" . | fromYamlArray)
      "volumes" $volumes -}}
name: frontend
type: frontend
replicas: {{ $options.replicas }}
labels:
  {{- include "gpt-oss.podLabels" (dict "root" . "component" "frontend" "options" $options) | nindent 2 }}
annotations:
  {{- with $options.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  checksum/scripts: {{ include "gpt-oss.scriptsChecksum" . }}
podSpec:
  {{- include "gpt-oss.podSpec" (dict "root" . "options" $options "spec" $spec "main" (include "gpt-oss.frontendContainer" . | fromYaml)) | nindent 2 }}
{{- end -}}

{{/* Flags of a worker: only what the engine YAML cannot say. Takes root and plan. */}}
{{- define "gpt-oss.workerFlags" -}}
{{- $release := include "gpt-oss.release" .root | fromJson -}}
{{- $engine := .plan.engine -}}
- --model
- {{ include "gpt-oss.snapshot" .root }}
- --served-model-name
- {{ include "gpt-oss.servedName" .root }}
- --extra-engine-args
- /etc/gpt-oss/engine/{{ .plan.name }}.yaml
- --disaggregation-mode
- {{ ternary $release.aggregatedMode .plan.role (eq .plan.role "aggregated") }}
- --dyn-reasoning-parser
- gpt_oss
- --dyn-tool-call-parser
- harmony
{{- if eq .root.Values.frontend.routerMode "kv" }}
- {{ $release.kvEventsFlag }}
- --kv-block-size
- {{ ($engine.kv_cache_config | default dict).tokens_per_block | default 32 | int | quote }}
{{- end }}
{{- range $size := $release.repeatedSizes }}
{{- with get $engine $size }}
- --{{ $size | replace "_" "-" }}
- {{ int . | quote }}
{{- end }}
{{- end }}
{{- range .plan.options.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Command of a worker: no shell, save on several nodes, where the operator builds an mpirun
     line around a shell command. Takes root and plan. */}}
{{- define "gpt-oss.workerCommand" -}}
{{- $flags := include "gpt-oss.workerFlags" . | fromYamlArray -}}
{{- if gt (int .plan.nodes) 1 -}}
{{- $words := list "python3" "-m" "dynamo.trtllm" -}}
{{- range $flags -}}
  {{- if contains "'" . -}}
    {{- fail (printf "workers.%s.extraArgs: %s has a single quote, which the operator's mpirun line cannot carry; use double quotes" $.plan.name .) -}}
  {{- end -}}
  {{- $words = append $words (ternary . (quote .) (regexMatch "^[-_./:=,A-Za-z0-9]+$" .)) -}}
{{- end -}}
command: [/bin/sh, -c]
args:
  - {{ join " " $words | toJson }}
{{- else -}}
command: [python3, -m, dynamo.trtllm]
args:
  {{- toYaml $flags | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Main container of a worker. Takes root and plan. */}}
{{- define "gpt-oss.workerContainer" -}}
{{- $environment := include "gpt-oss.cacheEnvironment" .root | fromYaml -}}
{{- $_ := set $environment "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS" (int .root.Values.shutdown.longestAnswerSeconds) -}}
{{- if ne (include "gpt-oss.servedName" .root) .root.Values.model.id -}}
  {{- /* The frontend looks a name up in the cache; another name than the id is not there. */ -}}
  {{- $_ := set $environment "DYN_SELF_HOST_METADATA" "true" -}}
{{- end -}}
{{- with .root.Values.quantization.override -}}
  {{- $_ := set $environment "OVERRIDE_QUANT_ALGO" . -}}
{{- end -}}
{{- if eq (include "gpt-oss.locksMemory" .) "true" -}}
  {{- /* Open MPI starts the ranks, as root only when told so twice. */ -}}
  {{- $_ := set $environment "OMPI_ALLOW_RUN_AS_ROOT" "1" -}}
  {{- $_ := set $environment "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM" "1" -}}
{{- end -}}
name: main
image: {{ include "gpt-oss.image" .root }}
imagePullPolicy: {{ .root.Values.runtime.imagePullPolicy }}
{{ include "gpt-oss.workerCommand" . }}
env:
  {{- include "gpt-oss.environment" (dict "base" $environment "extra" .plan.options.env) | nindent 2 }}
resources:
  {{- include "gpt-oss.gpuResources" . | nindent 2 }}
{{- /* Before 1.5 the operator's own restarts a worker that is late once; that of several nodes it
       makes itself. */}}
{{- if and (semverCompare "<1.5.0-0" .root.Values.runtime.release) (eq (int .plan.nodes) 1) }}
livenessProbe:
  httpGet: {path: /live, port: 9090}
  periodSeconds: 5
  timeoutSeconds: 4
  failureThreshold: 3
{{- end }}
securityContext:
  {{- include "gpt-oss.workerSecurity" . | nindent 2 }}
volumeMounts:
  - {name: model-cache, mountPath: /opt/models, readOnly: true}
  - {name: engine, mountPath: /etc/gpt-oss/engine, readOnly: true}
{{- end -}}

{{/* A worker as a component. Takes root and plan. */}}
{{- define "gpt-oss.workerComponent" -}}
{{- $volumes := append (include "gpt-oss.cacheVolumes" .root | fromYamlArray)
      (include "gpt-oss.engineVolume" .root | fromYaml) -}}
{{- $spec := include "gpt-oss.placement" .root | fromYaml -}}
{{- $_ := set $spec "terminationGracePeriodSeconds" (include "gpt-oss.podGrace" (dict "root" .root "options" .plan.options) | int) -}}
{{- $_ := set $spec "initContainers" (include "gpt-oss.waitForCache" .root | fromYamlArray) -}}
{{- $_ := set $spec "volumes" $volumes -}}
name: {{ .plan.name }}
type: {{ ternary "worker" .plan.role (eq .plan.role "aggregated") }}
replicas: {{ .plan.replicas }}
nodes: {{ .plan.nodes }}
gpus: {{ .plan.gpusPerPod | toString | quote }}
sharedMemory: {{ include "gpt-oss.sharedMemory" . }}
labels:
  {{- include "gpt-oss.podLabels" (dict "root" .root "component" .plan.name "options" .plan.options) | nindent 2 }}
annotations:
  {{- with .plan.options.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  checksum/engine: {{ toYaml .plan.engine | sha256sum }}
  checksum/scripts: {{ include "gpt-oss.scriptsChecksum" .root }}
podSpec:
  {{- include "gpt-oss.podSpec" (dict "root" .root "options" .plan.options "spec" $spec "main" (include "gpt-oss.workerContainer" . | fromYaml)) | nindent 2 }}
{{- end -}}
