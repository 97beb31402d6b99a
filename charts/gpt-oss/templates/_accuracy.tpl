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
- {{ include "gpt-oss.endpoint" . }}/v1
- --model
- {{ include "gpt-oss.servedName" . }}
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
{{- $options := .Values.accuracy -}}
{{- /* The client that would ask OpenAI's own grader is made in any case and needs some key. */ -}}
{{- $environment := dict "HOME" "/tmp" "OPENAI_API_KEY" "not-used" -}}
{{- $results := dict "root" . "kind" "accuracy" "options" $options -}}
{{- $main := dict
      "name" "evals"
      "image" $options.image
      "imagePullPolicy" .Values.runtime.imagePullPolicy
      "command" (list "python3" "/etc/gpt-oss/scripts/accuracy.py" (include "gpt-oss.artifactFolder" .))
      "args" (include "gpt-oss.evals" . | fromYamlArray)
      "env" (include "gpt-oss.environment" (dict "base" $environment "extra" $options.env) | fromYamlArray)
      "resources" (dict "requests" (merge (dict) $options.resources.requests (dict "cpu" "4" "memory" "8Gi")))
      "volumeMounts" (list
        (dict "name" "scripts" "mountPath" "/etc/gpt-oss/scripts" "readOnly" true)
        (include "gpt-oss.artifactMount" $results | fromYaml)
        (dict "name" "tmp" "mountPath" "/tmp")) -}}
{{- with $options.resources.limits }}{{ $_ := set $main.resources "limits" . }}{{ end -}}
{{- $wait := include "gpt-oss.waitForModel" (dict "root" . "image" $options.image "seconds" $options.waitSeconds) | fromYaml -}}
{{- $volumes := list
      (dict "name" "scripts" "configMap" (dict "name" (printf "%s-scripts" (include "gpt-oss.name" .))))
      (include "gpt-oss.artifactVolume" $results | fromYaml)
      (dict "name" "tmp" "emptyDir" dict) -}}
{{- include "gpt-oss.jobTemplate" (dict "root" . "component" "accuracy" "options" $options "main" $main
      "spec" (dict "restartPolicy" "Never" "initContainers" (list $wait) "volumes" $volumes)) -}}
{{- end -}}
