{{/* The model cache, as pods see it. */}}

{{/* Environment of everything that reads the cache, put into a map that it takes as into:
     nothing is fetched at serving time. */}}
{{- define "gpt-oss.fillCacheEnvironment" -}}
{{- $_ := set .into "HF_HOME" "/opt/models" -}}
{{- $_ := set .into "HF_HUB_OFFLINE" "1" -}}
{{- $_ := set .into "TIKTOKEN_ENCODINGS_BASE" "/opt/models/tiktoken" -}}
{{- end -}}

{{/* Path of the pinned revision in the cache. */}}
{{- define "gpt-oss.snapshot" -}}
{{- printf "/opt/models/hub/models--%s/snapshots/%s" (.Values.model.id | replace "/" "--") .Values.model.revision -}}
{{- end -}}

{{/* An init container that waits until the cache holds the pinned revision and the vocabulary. */}}
{{- define "gpt-oss.waitForCache" -}}
- name: wait-for-model-cache
  image: {{ .plan.image | quote }}
  imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
  command: [python3, /etc/gpt-oss/scripts/model_cache.py, wait]
  env:
    {{- include "gpt-oss.environment" (dict "base" (include "gpt-oss.modelEnvironment" . | fromYaml) "extra" dict) | nindent 4 }}
  resources:
    {{- include "gpt-oss.resources" (dict "resources" .Values.initContainers.resources "cpu" "100m" "memory" "256Mi") | nindent 4 }}
  volumeMounts:
    - {name: model-cache, mountPath: /opt/models, readOnly: true}
    - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
{{- end -}}

{{/* What model_cache.py needs to know. */}}
{{- define "gpt-oss.modelEnvironment" -}}
HF_HOME: /opt/models
MODEL_ID: {{ .Values.model.id | quote }}
MODEL_REVISION: {{ .Values.model.revision | quote }}
VOCABULARY_SHA256: {{ .plan.facts.vocabulary.sha256 | quote }}
{{- end -}}

{{/* Volumes of pods that read the cache. */}}
{{- define "gpt-oss.cacheVolumes" -}}
- name: model-cache
  persistentVolumeClaim:
    claimName: {{ .plan.claimName | quote }}
{{ include "gpt-oss.scriptsVolume" . }}
{{- end -}}
