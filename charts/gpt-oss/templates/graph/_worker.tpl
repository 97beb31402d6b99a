{{/* Workers of the graph. */}}

{{/* Takes root, component and worker. */}}
{{- define "gpt-oss.fillWorker" -}}
{{- $component := .component -}}
{{- $worker := .worker -}}
{{- $_ := set $component "type" (ternary "worker" $worker.role (eq $worker.role "aggregated")) -}}
{{- $_ := set $component "replicas" $worker.replicas -}}
{{- $_ := set $component "nodes" $worker.nodes -}}
{{- $_ := set $component "sharedMemory" (include "gpt-oss.sharedMemory" .) -}}
{{- $_ := set $component "pod" dict -}}
{{- $annotations := dict "checksum/scripts" (include "gpt-oss.scriptsChecksum" (dict "root" .root "scripts" (list "model_cache.py"))) -}}
{{- include "gpt-oss.fillPod" (dict "into" $component.pod "pod" (dict "root" .root "component" $worker.name
      "options" $worker.options "spec" (include "gpt-oss.workerPod" .) "annotations" $annotations)) -}}
{{- end -}}

{{- define "gpt-oss.workerPod" -}}
{{- include "gpt-oss.placement" .root }}
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
    imagePullPolicy: {{ .root.Values.runtime.imagePullPolicy }}
    {{- include "gpt-oss.workerCommand" . | nindent 4 }}
    env:
      {{- include "gpt-oss.workerEnvironment" . | nindent 6 }}
    resources:
      {{- include "gpt-oss.gpuResources" . | nindent 6 }}
    {{- /* Before 1.5 the operator's own restarts a worker that is late once; that of several nodes it
           makes itself. */}}
    {{- if and (semverCompare "<1.5.0-0" .root.Values.runtime.release) (eq (int .worker.nodes) 1) }}
    livenessProbe:
      httpGet: {path: /live, port: 9090}
      periodSeconds: 5
      timeoutSeconds: 4
      failureThreshold: 3
    {{- end }}
    securityContext:
      {{- include "gpt-oss.workerSecurity" . | nindent 6 }}
    volumeMounts:
      {{- include "gpt-oss.cacheMounts" .root | nindent 6 }}
      - {name: engine, mountPath: /etc/gpt-oss/engine, readOnly: true}
      {{- if eq (include "gpt-oss.anyUser" .root) "true" }}
      - {name: home, mountPath: /home/worker}
      {{- end }}
volumes:
  {{- include "gpt-oss.cacheVolumes" .root | nindent 2 }}
  {{- include "gpt-oss.engineVolume" . | nindent 2 }}
  {{- if eq (include "gpt-oss.anyUser" .root) "true" }}
  - {name: home, emptyDir: {}}
  {{- end }}
{{- end -}}

{{/* Whether pods run as another user than the image's own, whose home they could not write to. */}}
{{- define "gpt-oss.anyUser" -}}
{{- ne (toString .Values.podSecurityContext.runAsUser) "1000" -}}
{{- end -}}

{{- define "gpt-oss.workerEnvironment" -}}
{{- $values := .root.Values -}}
{{- $environment := dict "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS" (int $values.shutdown.longestAnswerSeconds) -}}
{{- include "gpt-oss.fillCacheEnvironment" (dict "into" $environment) -}}
{{- if eq (include "gpt-oss.anyUser" .root) "true" -}}
  {{- $_ := set $environment "HOME" "/home/worker" -}}
  {{- $_ := set $environment "USER" "worker" -}}
{{- end -}}
{{- if ne .root.plan.servedName $values.model.id -}}
  {{- /* The frontend looks a name up in the cache; another name than the id is not there. */ -}}
  {{- $_ := set $environment "DYN_SELF_HOST_METADATA" "true" -}}
{{- end -}}
{{- with $values.quantization.override -}}
  {{- $_ := set $environment "OVERRIDE_QUANT_ALGO" . -}}
{{- end -}}
{{- if eq (include "gpt-oss.locksMemory" .) "true" -}}
  {{- /* Open MPI starts the ranks, as root only when told so twice. */ -}}
  {{- $_ := set $environment "OMPI_ALLOW_RUN_AS_ROOT" "1" -}}
  {{- $_ := set $environment "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM" "1" -}}
{{- end -}}
{{- include "gpt-oss.environment" (dict "base" $environment "extra" .worker.options.env) -}}
{{- end -}}

{{/* Flags of a worker as a list: only what the engine YAML cannot say. Takes root, worker and into,
     a map that gets the list. */}}
{{- define "gpt-oss.fillFlags" -}}
{{- $root := .root -}}
{{- $release := $root.plan.release -}}
{{- $engine := .worker.engine -}}
{{- $flags := list
      "--model" (include "gpt-oss.snapshot" $root)
      "--served-model-name" $root.plan.servedName
      "--extra-engine-args" (printf "/etc/gpt-oss/engine/%s.yaml" .worker.name)
      "--disaggregation-mode" (ternary $release.aggregatedMode .worker.role (eq .worker.role "aggregated"))
      "--dyn-reasoning-parser" "gpt_oss"
      "--dyn-tool-call-parser" "harmony" -}}
{{- if eq $root.Values.frontend.routerMode "kv" -}}
  {{- $block := ($engine.kv_cache_config | default dict).tokens_per_block | default 32 | int -}}
  {{- $flags = concat $flags (list $release.kvEventsFlag "--kv-block-size" (toString $block)) -}}
{{- end -}}
{{- if $root.Values.monitoring.engineMetrics -}}
  {{- $flags = append $flags ($release.metricsFlag | default $release.kvEventsFlag) | uniq -}}
{{- end -}}
{{- range $size := $release.repeatedSizes -}}
  {{- with get $engine $size -}}
    {{- $flags = concat $flags (list (printf "--%s" ($size | replace "_" "-")) (int . | toString)) -}}
  {{- end -}}
{{- end -}}
{{- $_ := set .into "flags" (concat $flags .worker.options.extraArgs) -}}
{{- end -}}

{{/* A word as the shell takes it. Kubernetes' own $(NAME) becomes the shell's, or the shell would run it. */}}
{{- define "gpt-oss.shellWord" -}}
{{- if regexMatch "^[-_./:=,A-Za-z0-9]+$" . -}}
{{- . -}}
{{- else -}}
{{- $escaped := regexReplaceAll "([\\\\$\"`])" . "\\${1}" -}}
"{{ regexReplaceAll "\\\\\\$\\(([A-Za-z_][A-Za-z0-9_]*)\\)" $escaped "${${1}}" }}"
{{- end -}}
{{- end -}}

{{/* Command of a worker: no shell, save on several nodes, where the operator builds an mpirun
     line around a shell command. Takes root and worker. */}}
{{- define "gpt-oss.workerCommand" -}}
{{- $made := dict -}}
{{- include "gpt-oss.fillFlags" (dict "root" .root "worker" .worker "into" $made) -}}
{{- if gt (int .worker.nodes) 1 -}}
{{- $words := list "python3" "-m" "dynamo.trtllm" -}}
{{- range $made.flags -}}
  {{- if contains "'" . -}}
    {{- fail (printf "workers.%s.extraArgs: %s has a single quote, which the operator's mpirun line cannot carry; use double quotes" $.worker.name .) -}}
  {{- end -}}
  {{- $words = append $words (include "gpt-oss.shellWord" .) -}}
{{- end -}}
command: [/bin/sh, -c]
args:
  - {{ join " " $words | toJson }}
{{- else -}}
command: [python3, -m, dynamo.trtllm]
args:
  {{- range $made.flags }}
  - {{ . | quote }}
  {{- end }}
{{- end -}}
{{- end -}}
