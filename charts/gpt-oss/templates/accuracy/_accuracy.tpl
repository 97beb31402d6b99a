{{/* The accuracy Job: OpenAI's gpt_oss.evals asks the deployment its questions. */}}

{{- define "gpt-oss.guardAccuracy" -}}
{{- if not .Values.accuracy.image -}}
  {{- fail "accuracy.enabled is true, but accuracy.image is not set; no published image has gpt_oss: build one from a python:3.12 image with `pip install \"gpt-oss[eval]==0.0.9\"` and name it" -}}
{{- end -}}
{{- end -}}

{{/* Command line of the evaluations, as YAML. */}}
{{- define "gpt-oss.evals" -}}
{{- $options := .Values.accuracy -}}
{{- $capacity := include "gpt-oss.capacity" . | int | default 1584 -}}
- python3
- -m
- gpt_oss.evals
- --sampler
- chat_completions
- --base-url
- {{ printf "%s/v1" .plan.endpoint | quote }}
- --model
- {{ .plan.servedName | quote }}
- --eval
- {{ join "," $options.evals }}
- --reasoning-effort
- {{ join "," $options.reasoningEfforts }}
- --n-threads
- {{ $options.threads | default (min $capacity 1584) | int | quote }}
{{- range $options.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "gpt-oss.accuracyTemplate" -}}
{{- $checksum := include "gpt-oss.scriptsChecksum" (dict "root" . "scripts" (list "accuracy.py" "smoke.py")) -}}
{{- include "gpt-oss.pod" (dict "root" . "component" "accuracy" "options" .Values.accuracy
      "spec" (include "gpt-oss.accuracyPod" .) "annotations" (dict "checksum/scripts" $checksum)) -}}
{{- end -}}

{{- define "gpt-oss.accuracyPod" -}}
{{- $options := .Values.accuracy -}}
{{- /* The client that would ask OpenAI's own grader is made in any case and needs some key. */ -}}
{{- $environment := dict "HOME" "/tmp" "OPENAI_API_KEY" "not-used" -}}
restartPolicy: Never
initContainers:
  {{- include "gpt-oss.waitForModel" (dict "root" . "image" $options.image "seconds" $options.waitSeconds) | nindent 2 }}
containers:
  - name: evals
    image: {{ $options.image | quote }}
    imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
    command: [python3, /etc/gpt-oss/scripts/accuracy.py, {{ include "gpt-oss.artifactFolder" . }}]
    args:
      {{- include "gpt-oss.evals" . | nindent 6 }}
    env:
      {{- include "gpt-oss.environment" (dict "base" $environment "extra" $options.env) | nindent 6 }}
    resources:
      {{- include "gpt-oss.resources" (dict "resources" $options.resources "cpu" "4" "memory" "8Gi") | nindent 6 }}
    volumeMounts:
      - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
      {{- include "gpt-oss.artifactMount" (dict "root" . "kind" "accuracy" "options" $options) | nindent 6 }}
      - {name: tmp, mountPath: /tmp}
volumes:
  {{- include "gpt-oss.scriptsVolume" . | nindent 2 }}
  {{- include "gpt-oss.artifactVolume" (dict "options" $options) | nindent 2 }}
  - {name: tmp, emptyDir: {}}
{{- end -}}
