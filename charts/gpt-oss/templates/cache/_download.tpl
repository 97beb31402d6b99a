{{/* What fills the model cache: a Job, or on disks of the nodes a pod on each of them. */}}

{{- define "gpt-oss.downloadTemplate" -}}
{{- $checksum := include "gpt-oss.scriptsChecksum" (dict "root" . "scripts" (list "model_cache.py" "model_download.py")) -}}
{{- include "gpt-oss.pod" (dict "root" . "component" "download" "options" .Values.modelCache.download
      "spec" (include "gpt-oss.downloadPod" .) "annotations" (dict "checksum/scripts" $checksum)) -}}
{{- end -}}

{{- define "gpt-oss.downloadPod" -}}
{{- $options := .Values.modelCache.download -}}
{{- $onNodes := not (empty .Values.modelCache.hostPath) -}}
{{- if not $onNodes }}
restartPolicy: Never
{{- end }}
{{- include "gpt-oss.account" (dict "root" .) }}
{{- if or $onNodes $options.onGpuNodes }}
{{ include "gpt-oss.placement" . }}
{{- else }}
{{- include "gpt-oss.elsewhere" . }}
{{- end }}
{{- if $options.source }}
initContainers:
  {{- include "gpt-oss.fetchContainer" . | nindent 2 }}
{{- end }}
containers:
  - name: download
    image: {{ $options.image | default .plan.image | quote }}
    imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
    {{- if $onNodes }}
    command:
      - /bin/sh
      - -c
      - python3 /etc/gpt-oss/scripts/model_download.py && touch /tmp/filled && exec sleep infinity
    readinessProbe:
      exec: {command: [test, -e, /tmp/filled]}
    {{- include "gpt-oss.nodeSecurity" . | nindent 4 }}
    {{- else }}
    command: [python3, /etc/gpt-oss/scripts/model_download.py]
    {{- include "gpt-oss.sealed" . | nindent 4 }}
    {{- end }}
    env:
      {{- include "gpt-oss.environment" (dict "base" (include "gpt-oss.downloadEnvironment" . | fromYaml) "extra" $options.env) | nindent 6 }}
    resources:
      {{- include "gpt-oss.resources" (dict "resources" $options.resources "cpu" (ternary "500m" "4" $onNodes) "memory" (ternary "2Gi" "8Gi" $onNodes)) | nindent 6 }}
    volumeMounts:
      - {{ include "gpt-oss.cacheMount" (dict "root" . "path" "/opt/models") }}
      - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
      - {name: tmp, mountPath: /tmp}
volumes:
  {{- include "gpt-oss.cacheVolume" . | nindent 2 }}
  {{- include "gpt-oss.scriptsVolume" . | nindent 2 }}
  - {name: tmp, emptyDir: {}}
{{- end -}}

{{- define "gpt-oss.downloadEnvironment" -}}
{{- $options := .Values.modelCache.download -}}
{{ include "gpt-oss.modelEnvironment" . }}
VOCABULARY_URL: {{ $options.vocabularyUrl | quote }}
HOME: /tmp
HF_TOKEN:
  secretKeyRef:
    name: {{ $options.tokenSecret.name | quote }}
    key: {{ $options.tokenSecret.key | quote }}
    optional: true
{{- with include "gpt-oss.plainFolder" . }}
MODEL_DIR: {{ . | quote }}
{{- end }}
{{- with $options.source }}
MODEL_SOURCE: {{ . | quote }}
{{- end }}
{{- with .Values.prefetch.revisions }}
FURTHER_REVISIONS: {{ join " " . | quote }}
{{- end }}
{{- if not .plan.cache.own }}
SHARED_CACHE: "true"
{{- end }}
{{- end -}}

{{/* The plain folder that holds the checkpoint's files, as the download sees it, if there is one. */}}
{{- define "gpt-oss.plainFolder" -}}
{{- with .Values.modelCache.path -}}
{{- printf "/opt/models/%s" . | trimSuffix "/." -}}
{{- else -}}
{{- if .Values.modelCache.download.source -}}{{- printf "/opt/models/checkpoints/%s" .Values.model.revision -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Fetches from an object storage. What is there already is compared and left. */}}
{{- define "gpt-oss.fetchContainer" -}}
{{- $options := .Values.modelCache.download -}}
{{- $client := $options.client -}}
{{- $onNodes := not (empty .Values.modelCache.hostPath) -}}
{{- $backend := ternary "s3" "gcs" (hasPrefix "s3:" $options.source) -}}
{{- $place := $options.source | trimPrefix "s3://" | trimPrefix "gs://" -}}
{{- $environment := dict "HOME" "/tmp" (printf "RCLONE_%s_ENV_AUTH" (upper $backend)) "true" -}}
{{- if eq $backend "s3" -}}{{- $_ := set $environment "RCLONE_S3_PROVIDER" "AWS" -}}{{- end -}}
- name: fetch
  image: {{ $client.image | default (include "gpt-oss.mirrored" (dict "root" . "image" "docker.io/rclone/rclone:1.75.1")) | quote }}
  imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
  command:
    - rclone
    - copy
    - {{ printf ":%s:%s" $backend $place | quote }}
    - {{ include "gpt-oss.plainFolder" . | quote }}
    {{- /* The checkpoint in two other forms, twice its size. */}}
    - --exclude=original/**
    - --exclude=metal/**
    - --transfers=8
    - --stats=60s
    - --stats-one-line
    - --stats-log-level=NOTICE
  env:
    {{- include "gpt-oss.environment" (dict "base" $environment "extra" $client.env) | nindent 4 }}
  {{- with $client.existingSecret }}
  envFrom:
    - secretRef: {name: {{ . | quote }}}
  {{- end }}
  resources:
    {{- include "gpt-oss.resources" (dict "resources" $options.resources "cpu" (ternary "500m" "2" $onNodes) "memory" (ternary "2Gi" "4Gi" $onNodes)) | nindent 4 }}
  {{- if $onNodes }}
  {{- include "gpt-oss.nodeSecurity" . | nindent 2 }}
  {{- else }}
  {{- include "gpt-oss.sealed" . | nindent 2 }}
  {{- end }}
  volumeMounts:
    - {{ include "gpt-oss.cacheMount" (dict "root" . "path" "/opt/models") }}
    - {name: tmp, mountPath: /tmp}
{{- end -}}

{{/* A folder that the node makes belongs to root. */}}
{{- define "gpt-oss.nodeSecurity" }}
securityContext:
  {{- toYaml (merge (dict "runAsUser" 0 "runAsGroup" 0 "runAsNonRoot" false) (deepCopy .Values.containerSecurityContext) (dict "readOnlyRootFilesystem" true)) | nindent 2 }}
{{- end -}}
