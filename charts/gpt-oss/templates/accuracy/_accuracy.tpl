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
