{{/* The model cache, as pods see it. A claim that the chart makes is mounted at /opt/models as it is.
     Any other volume may serve several releases, or cannot be written to: it is mounted beside it,
     and each pod lays the revision out at /opt/models for itself. */}}

{{/* Puts into the plan where the cache lies: cache.own, cache.readOnly, and cache.filled, whether
     something of this release fills it. */}}
{{- define "gpt-oss.fillCache" -}}
{{- $cache := .Values.modelCache -}}
{{- $own := not (or $cache.existingClaim $cache.hostPath $cache.image) -}}
{{- $readOnly := or $cache.readOnly (not (empty $cache.image)) -}}
{{- $_ := set .plan "claimName" ($cache.existingClaim | default (printf "%s-model-cache" .plan.name)) -}}
{{- $_ := set .plan "cache" (dict "own" $own "readOnly" $readOnly "filled" (and $cache.download.enabled (not $readOnly))) -}}
{{- end -}}

{{/* Environment of everything that reads the cache, put into a map: nothing is fetched at serving
     time. Takes into. */}}
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
{{- $environment := include "gpt-oss.modelEnvironment" . | fromYaml -}}
{{- if not .plan.cache.own -}}
  {{- $_ := set $environment "MODEL_VOLUME" "/opt/model-volume" -}}
  {{- if and .Values.modelCache.path (not .plan.cache.filled) -}}
    {{- $_ := set $environment "MODEL_DIR" (printf "/opt/model-volume/%s" .Values.modelCache.path | trimSuffix "/.") -}}
  {{- end -}}
{{- end -}}
- name: wait-for-model-cache
  image: {{ .plan.image | quote }}
  imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
  command: [python3, /etc/gpt-oss/scripts/model_cache.py]
  env:
    {{- include "gpt-oss.environment" (dict "base" $environment "extra" dict) | nindent 4 }}
  resources:
    {{- include "gpt-oss.smallResources" (dict "resources" .Values.initContainers.resources "memory" (ternary "256Mi" "1Gi" .plan.cache.own)) | nindent 4 }}
  {{- include "gpt-oss.sealed" . | nindent 2 }}
  volumeMounts:
    {{- if .plan.cache.own }}
    {{- include "gpt-oss.cacheMounts" . | nindent 4 }}
    {{- else }}
    - {name: models, mountPath: /opt/models}
    - {{ include "gpt-oss.cacheMount" (dict "root" . "path" "/opt/model-volume" "readOnly" true) }}
    {{- end }}
    - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
{{- end -}}

{{/* What the scripts of the cache need to know. */}}
{{- define "gpt-oss.modelEnvironment" -}}
HF_HOME: /opt/models
MODEL_ID: {{ .Values.model.id | quote }}
MODEL_REVISION: {{ .Values.model.revision | quote }}
VOCABULARY_SHA256: {{ .plan.facts.vocabulary.sha256 | quote }}
{{- end -}}

{{/* The volume mounted somewhere. Takes root, path and readOnly. */}}
{{- define "gpt-oss.cacheMount" -}}
{{- $mount := dict "name" "model-cache" "mountPath" .path -}}
{{- with .root.Values.modelCache.subPath -}}{{- $_ := set $mount "subPath" . -}}{{- end -}}
{{- if .readOnly -}}{{- $_ := set $mount "readOnly" true -}}{{- end -}}
{{- toJson $mount -}}
{{- end -}}

{{/* Mounts of a container that reads the cache. */}}
{{- define "gpt-oss.cacheMounts" -}}
{{- if .plan.cache.own -}}
- {{ include "gpt-oss.cacheMount" (dict "root" . "path" "/opt/models" "readOnly" true) }}
{{- else -}}
- {name: models, mountPath: /opt/models, readOnly: true}
- {{ include "gpt-oss.cacheMount" (dict "root" . "path" "/opt/model-volume" "readOnly" true) }}
{{- end -}}
{{- end -}}

{{/* Volumes of pods that read the cache. */}}
{{- define "gpt-oss.cacheVolumes" -}}
{{ include "gpt-oss.cacheVolume" . }}
{{- if not .plan.cache.own }}
- {name: models, emptyDir: {}}
{{- end }}
{{ include "gpt-oss.scriptsVolume" . }}
{{- end -}}

{{- define "gpt-oss.cacheVolume" -}}
- name: model-cache
{{- with .Values.modelCache.hostPath }}
  hostPath: {path: {{ . | quote }}, type: DirectoryOrCreate}
{{- else }}
{{- with $.Values.modelCache.image }}
  image:
    reference: {{ . | quote }}
    pullPolicy: {{ $.Values.runtime.imagePullPolicy }}
{{- else }}
  persistentVolumeClaim:
    claimName: {{ $.plan.claimName | quote }}
    {{- if $.plan.cache.readOnly }}
    readOnly: true
    {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Where a pod runs that reads the cache and needs no GPU: disks of GPU nodes are nowhere else. */}}
{{- define "gpt-oss.cachePlacement" -}}
{{- if .Values.modelCache.hostPath -}}
{{- include "gpt-oss.placement" . -}}
{{- else -}}
{{- include "gpt-oss.elsewhere" . -}}
{{- end -}}
{{- end -}}
