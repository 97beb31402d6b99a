{{/* The Job that fills the model cache. */}}

{{- define "gpt-oss.downloadTemplate" -}}
{{- $checksum := include "gpt-oss.scriptsChecksum" (dict "root" . "scripts" (list "model_cache.py")) -}}
{{- include "gpt-oss.pod" (dict "root" . "component" "download" "options" .Values.modelCache.download
      "spec" (include "gpt-oss.downloadPod" .) "annotations" (dict "checksum/scripts" $checksum)) -}}
{{- end -}}

{{- define "gpt-oss.downloadPod" -}}
{{- $options := .Values.modelCache.download -}}
{{- $environment := include "gpt-oss.modelEnvironment" . | fromYaml -}}
{{- $_ := set $environment "VOCABULARY_URL" $options.vocabularyUrl -}}
{{- $_ := set $environment "HOME" "/tmp" -}}
{{- $_ := set $environment "HF_TOKEN" (dict "secretKeyRef" (dict "name" $options.tokenSecret.name "key" $options.tokenSecret.key "optional" true)) -}}
restartPolicy: Never
containers:
  - name: download
    image: {{ $options.image | default .plan.image | quote }}
    imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
    command: [python3, /etc/gpt-oss/scripts/model_cache.py, fill]
    env:
      {{- include "gpt-oss.environment" (dict "base" $environment "extra" $options.env) | nindent 6 }}
    resources:
      {{- include "gpt-oss.resources" (dict "resources" $options.resources "cpu" "4" "memory" "8Gi") | nindent 6 }}
    volumeMounts:
      - {name: model-cache, mountPath: /opt/models}
      - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
      - {name: tmp, mountPath: /tmp}
volumes:
  {{- include "gpt-oss.cacheVolumes" . | nindent 2 }}
  - {name: tmp, emptyDir: {}}
{{- end -}}
