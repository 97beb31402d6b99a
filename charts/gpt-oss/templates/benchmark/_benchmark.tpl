{{/* The benchmark Job: aiperf sends the target's traffic. */}}

{{/* Words that benchmark.py is given, as YAML: where it reads what it measures, the sweep if there
     is one, and the aiperf command line. Of a sweep's command benchmark.py fills in what changes from
     step to step. */}}
{{- define "gpt-oss.benchmarkWords" -}}
{{- $workload := .Values.workload -}}
{{- $options := .Values.benchmark -}}
{{- $sweep := kindIs "map" $workload.sweep -}}
{{- $steps := include "gpt-oss.concurrencies" . | fromJsonArray -}}
{{- $first := first $steps | int }}
- --target
- /etc/gpt-oss/scripts/benchmark.json
{{- if $sweep }}
- --sweep
- {{ include "gpt-oss.join" $steps | quote }}
- --rounds
- {{ $workload.sweep.rounds | default 5 | int | quote }}
{{- end }}
- aiperf
- profile
- --model
- {{ .plan.servedName | quote }}
- --tokenizer
- {{ .Values.model.id | quote }}
- --tokenizer-revision
- {{ .Values.model.revision | quote }}
- --endpoint-type
- chat
- --endpoint
- /v1/chat/completions
- --streaming
- --url
- {{ .plan.endpoint | quote }}
- --synthetic-input-tokens-mean
- {{ int $workload.inputTokens | quote }}
- --synthetic-input-tokens-stddev
- {{ int $workload.inputTokensStddev | quote }}
- --output-tokens-mean
- {{ int $workload.outputTokens | quote }}
- --output-tokens-stddev
- {{ int $workload.outputTokensStddev | quote }}
{{- if not $workload.outputTokensStddev }}
- --extra-inputs
- {{ printf "max_tokens:%d" (int $workload.outputTokens) }}
- --extra-inputs
- {{ printf "min_tokens:%d" (int $workload.outputTokens) }}
{{- end }}
- --extra-inputs
- ignore_eos:true
{{- if not $sweep }}
{{- $requests := include "gpt-oss.requests" . | int }}
{{- $warmup := $options.warmupRequests | default $first | int }}
- --concurrency
- {{ $first | quote }}
- --request-count
- {{ $requests | quote }}
- --warmup-request-count
- {{ $warmup | quote }}
- --num-dataset-entries
- {{ $options.datasetEntries | default (add $requests $warmup) | int | quote }}
{{- else }}
{{- with $options.warmupRequests }}
- --warmup-request-count
- {{ int . | quote }}
{{- end }}
{{- with $options.datasetEntries }}
- --num-dataset-entries
- {{ int . | quote }}
{{- end }}
{{- end }}
{{- with $workload.goodput }}
- --goodput
- {{ include "gpt-oss.goodput" . | quote }}
{{- end }}
- --random-seed
- {{ int $options.randomSeed | quote }}
- --use-server-token-count
- --artifact-dir
- {{ include "gpt-oss.artifactFolder" . }}
- --ui
- simple
{{- range $options.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Whole numbers with commas between them. */}}
{{- define "gpt-oss.join" -}}
{{- range $number, $value := . }}{{ if $number }},{{ end }}{{ int $value }}{{ end -}}
{{- end -}}

{{/* Limits as aiperf takes them: metric:limit, with spaces between. */}}
{{- define "gpt-oss.goodput" -}}
{{- $limits := list -}}
{{- range $metric, $limit := . -}}
  {{- $limits = append $limits (printf "%s:%v" $metric $limit) -}}
{{- end -}}
{{- join " " $limits -}}
{{- end -}}

{{- define "gpt-oss.benchmarkTemplate" -}}
{{- $annotations := dict "gpt-oss/gpus" (.plan.gpus | int | toString)
      "checksum/scripts" (include "gpt-oss.scriptsChecksum" (dict "root" . "scripts" (list "benchmark.py" "smoke.py"))) -}}
{{- if not (or (kindIs "map" .Values.workload.sweep) .Values.workload.concurrency) -}}
  {{- $_ := set $annotations "gpt-oss/concurrency-per-gpu" (int .Values.workload.concurrencyPerGpu | toString) -}}
{{- end -}}
{{- include "gpt-oss.pod" (dict "root" . "component" "benchmark" "options" .Values.benchmark
      "spec" (include "gpt-oss.benchmarkPod" .) "annotations" $annotations) -}}
{{- end -}}

{{- define "gpt-oss.benchmarkPod" -}}
{{- $options := .Values.benchmark -}}
{{- $image := $options.image | default .plan.aiperfImage -}}
{{- $most := include "gpt-oss.concurrencies" . | fromJsonArray | last | int -}}
{{- /* One process must be able to hold every connection, or requests queue in the client. */ -}}
{{- $environment := dict "HOME" "/tmp" "COLUMNS" "100" "AIPERF_HTTP_CONNECTION_LIMIT" (max $most 2500 | toString) -}}
{{- include "gpt-oss.fillCacheEnvironment" (dict "into" $environment) -}}
restartPolicy: Never
{{- include "gpt-oss.cachePlacement" . }}
initContainers:
  {{- if not .plan.cache.own }}
  {{- include "gpt-oss.waitForCache" . | nindent 2 }}
  {{- end }}
  {{- include "gpt-oss.waitForModel" (dict "root" . "image" $image "seconds" $options.waitSeconds) | nindent 2 }}
containers:
  - name: aiperf
    image: {{ $image | quote }}
    imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
    command: [python3, /etc/gpt-oss/scripts/benchmark.py]
    args:
      {{- include "gpt-oss.benchmarkWords" . | nindent 6 }}
    env:
      {{- include "gpt-oss.environment" (dict "base" $environment "extra" $options.env) | nindent 6 }}
    resources:
      {{- include "gpt-oss.resources" (dict "resources" $options.resources "cpu" "8" "memory" "16Gi") | nindent 6 }}
    volumeMounts:
      {{- include "gpt-oss.cacheMounts" . | nindent 6 }}
      - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
      {{- include "gpt-oss.artifactMount" (dict "root" . "kind" "benchmark" "options" $options) | nindent 6 }}
      - {name: tmp, mountPath: /tmp}
volumes:
  {{- include "gpt-oss.cacheVolumes" . | nindent 2 }}
  {{- include "gpt-oss.artifactVolume" (dict "options" $options) | nindent 2 }}
  - {name: tmp, emptyDir: {}}
{{- end -}}
