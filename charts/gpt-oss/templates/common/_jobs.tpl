{{/* What Jobs that ask the model share. */}}

{{/* An init container that waits until the model answers one token. Takes root, image and seconds. */}}
{{- define "gpt-oss.waitForModel" -}}
- name: wait-for-model
  image: {{ .image | quote }}
  imagePullPolicy: {{ .root.Values.runtime.imagePullPolicy }}
  command:
    - python3
    - /etc/gpt-oss/scripts/smoke.py
    - {{ .root.plan.endpoint | quote }}
    - {{ .root.plan.servedName | quote }}
    - --ready
    - --wait
    - {{ .seconds | default 7200 | int | quote }}
  resources:
    {{- include "gpt-oss.resources" (dict "resources" .root.Values.initContainers.resources "cpu" "100m" "memory" "128Mi") | nindent 4 }}
  volumeMounts:
    - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
{{- end -}}

{{- define "gpt-oss.artifactFolder" -}}
/artifacts
{{- end -}}

{{/* Where a Job leaves its results. Takes options. */}}
{{- define "gpt-oss.artifactVolume" -}}
- name: artifacts
{{- with .options.artifacts.existingClaim }}
  persistentVolumeClaim:
    claimName: {{ . | quote }}
{{- else }}
  emptyDir: {}
{{- end }}
{{- end -}}

{{/* Takes root, kind and options. */}}
{{- define "gpt-oss.artifactMount" -}}
- name: artifacts
  mountPath: {{ include "gpt-oss.artifactFolder" .root }}
{{- if .options.artifacts.existingClaim }}
  subPath: {{ .options.artifacts.subPath | default (printf "%s-%s" .root.plan.name .kind) | quote }}
{{- end }}
{{- end -}}
