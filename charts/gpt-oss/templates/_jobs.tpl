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

{{/* An init container that waits until the model answers one token. Takes root, image and seconds. */}}
{{- define "gpt-oss.waitForModel" -}}
name: wait-for-model
image: {{ .image }}
imagePullPolicy: {{ .root.Values.runtime.imagePullPolicy }}
command:
  - python3
  - /etc/gpt-oss/scripts/smoke.py
  - {{ include "gpt-oss.endpoint" .root }}
  - {{ include "gpt-oss.servedName" .root }}
  - --ready
  - --wait
  - {{ .seconds | default 7200 | int | quote }}
resources:
  requests: {cpu: 100m, memory: 128Mi}
securityContext:
  {{- toYaml .root.Values.containerSecurityContext | nindent 2 }}
volumeMounts:
  - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
{{- end -}}

{{- define "gpt-oss.artifactFolder" -}}
/artifacts
{{- end -}}

{{/* Where a Job leaves its results. Takes root, kind and options. */}}
{{- define "gpt-oss.artifactVolume" -}}
name: artifacts
{{- with .options.artifacts.existingClaim }}
persistentVolumeClaim:
  claimName: {{ . }}
{{- else }}
emptyDir: {}
{{- end }}
{{- end -}}

{{/* Takes root, kind and options. */}}
{{- define "gpt-oss.artifactMount" -}}
name: artifacts
mountPath: {{ include "gpt-oss.artifactFolder" .root }}
{{- if .options.artifacts.existingClaim }}
subPath: {{ .options.artifacts.subPath | default (printf "%s-%s" (include "gpt-oss.name" .root) .kind) }}
{{- end }}
{{- end -}}
