{{/* Pod templates of the Jobs; a Job's name is made from its template. */}}

{{/* Pod template. Takes root, component, options, annotations, main and spec. */}}
{{- define "gpt-oss.jobTemplate" -}}
metadata:
  labels:
    {{- include "gpt-oss.podLabels" . | nindent 4 }}
  annotations:
    {{- with .options.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with .annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    checksum/scripts: {{ include "gpt-oss.scriptsChecksum" .root }}
spec:
  {{- include "gpt-oss.podSpec" . | nindent 2 }}
{{- end -}}

{{- define "gpt-oss.downloadTemplate" -}}
{{- $options := .Values.modelCache.download -}}
{{- $environment := include "gpt-oss.modelEnvironment" . | fromYaml -}}
{{- $_ := set $environment "VOCABULARY_URL" $options.vocabularyUrl -}}
{{- $_ := set $environment "HOME" "/tmp" -}}
{{- $_ := set $environment "HF_TOKEN" (dict "secretKeyRef" (dict "name" $options.tokenSecret.name "key" $options.tokenSecret.key "optional" true)) -}}
{{- $main := dict
      "name" "download"
      "image" ($options.image | default (include "gpt-oss.image" .))
      "imagePullPolicy" .Values.runtime.imagePullPolicy
      "command" (list "python3" "/etc/gpt-oss/scripts/model_cache.py" "fill")
      "env" (include "gpt-oss.environment" (dict "base" $environment "extra" $options.env) | fromYamlArray)
      "resources" (dict "requests" (merge (dict) $options.resources.requests (dict "cpu" "4" "memory" "8Gi")))
      "volumeMounts" (list
        (dict "name" "model-cache" "mountPath" "/opt/models")
        (dict "name" "scripts" "mountPath" "/etc/gpt-oss/scripts" "readOnly" true)
        (dict "name" "tmp" "mountPath" "/tmp")) -}}
{{- with $options.resources.limits }}{{ $_ := set $main.resources "limits" . }}{{ end -}}
{{- $volumes := append (include "gpt-oss.cacheVolumes" . | fromYamlArray) (dict "name" "tmp" "emptyDir" dict) -}}
{{- include "gpt-oss.jobTemplate" (dict "root" . "component" "download" "options" $options "main" $main
      "spec" (dict "restartPolicy" "Never" "volumes" $volumes)) -}}
{{- end -}}

{{/* Words of the aiperf command line, as YAML. */}}
{{- define "gpt-oss.aiperf" -}}
{{- $plan := include "gpt-oss.plan" . | fromYaml -}}
{{- $workload := .Values.workload -}}
- aiperf
- profile
- --model
- {{ include "gpt-oss.servedName" . }}
- --tokenizer
- {{ .Values.model.id }}
- --tokenizer-revision
- {{ .Values.model.revision | quote }}
- --endpoint-type
- chat
- --endpoint
- /v1/chat/completions
- --streaming
- --url
- {{ include "gpt-oss.endpoint" . }}
- --synthetic-input-tokens-mean
- {{ int $workload.inputTokens | quote }}
- --synthetic-input-tokens-stddev
- "0"
- --output-tokens-mean
- {{ int $workload.outputTokens | quote }}
- --output-tokens-stddev
- "0"
- --extra-inputs
- {{ printf "max_tokens:%d" (int $workload.outputTokens) }}
- --extra-inputs
- {{ printf "min_tokens:%d" (int $workload.outputTokens) }}
- --extra-inputs
- ignore_eos:true
- --concurrency
- {{ int $plan.concurrency | quote }}
- --request-count
- {{ int $plan.requests | quote }}
- --warmup-request-count
- {{ .Values.benchmark.warmupRequests | default $plan.concurrency | int | quote }}
- --num-dataset-entries
- {{ int $plan.requests | quote }}
- --random-seed
- {{ int .Values.benchmark.randomSeed | quote }}
- --use-server-token-count
- --artifact-dir
- {{ include "gpt-oss.artifactFolder" . }}
- --ui
- simple
{{- range .Values.benchmark.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "gpt-oss.artifactFolder" -}}
/artifacts
{{- end -}}

{{- define "gpt-oss.benchmarkTemplate" -}}
{{- $options := .Values.benchmark -}}
{{- $plan := include "gpt-oss.plan" . | fromYaml -}}
{{- $environment := include "gpt-oss.cacheEnvironment" . | fromYaml -}}
{{- $_ := set $environment "HOME" "/tmp" -}}
{{- $_ := set $environment "COLUMNS" "100" -}}
{{- /* One process must be able to hold every connection, or requests queue in the client. */ -}}
{{- $_ := set $environment "AIPERF_HTTP_CONNECTION_LIMIT" (int $plan.concurrency | max 2500 | toString) -}}
{{- $image := $options.image | default (include "gpt-oss.image" .) -}}
{{- $scripts := dict "name" "scripts" "mountPath" "/etc/gpt-oss/scripts" "readOnly" true -}}
{{- $artifacts := dict "name" "artifacts" "mountPath" (include "gpt-oss.artifactFolder" .) -}}
{{- $volume := dict "name" "artifacts" "emptyDir" dict -}}
{{- with $options.artifacts.existingClaim -}}
  {{- $volume = dict "name" "artifacts" "persistentVolumeClaim" (dict "claimName" .) -}}
  {{- $_ := set $artifacts "subPath" ($options.artifacts.subPath | default (printf "%s-benchmark" (include "gpt-oss.name" $))) -}}
{{- end -}}
{{- $main := dict
      "name" "aiperf"
      "image" $image
      "imagePullPolicy" .Values.runtime.imagePullPolicy
      "command" (list "python3" "/etc/gpt-oss/scripts/benchmark.py")
      "args" (include "gpt-oss.aiperf" . | fromYamlArray)
      "env" (include "gpt-oss.environment" (dict "base" $environment "extra" $options.env) | fromYamlArray)
      "resources" (dict "requests" (merge (dict) $options.resources.requests (dict "cpu" "8" "memory" "16Gi")))
      "volumeMounts" (list (dict "name" "model-cache" "mountPath" "/opt/models" "readOnly" true) $scripts $artifacts (dict "name" "tmp" "mountPath" "/tmp")) -}}
{{- with $options.resources.limits }}{{ $_ := set $main.resources "limits" . }}{{ end -}}
{{- $wait := dict
      "name" "wait-for-model"
      "image" $image
      "imagePullPolicy" .Values.runtime.imagePullPolicy
      "command" (list "python3" "/etc/gpt-oss/scripts/wait_for_model.py" (include "gpt-oss.endpoint" .) (include "gpt-oss.servedName" .) (int $options.waitSeconds | toString))
      "resources" (dict "requests" (dict "cpu" "100m" "memory" "128Mi"))
      "securityContext" .Values.containerSecurityContext
      "volumeMounts" (list $scripts) -}}
{{- $volumes := concat (include "gpt-oss.cacheVolumes" . | fromYamlArray) (list $volume (dict "name" "tmp" "emptyDir" dict)) -}}
{{- $annotations := dict
      "gpt-oss/gpus" (int $plan.gpus | toString)
      "gpt-oss/concurrency-per-gpu" (int .Values.workload.concurrencyPerGpu | toString) -}}
{{- include "gpt-oss.jobTemplate" (dict "root" . "component" "benchmark" "options" $options "main" $main "annotations" $annotations
      "spec" (dict "restartPolicy" "Never" "initContainers" (list $wait) "volumes" $volumes)) -}}
{{- end -}}
