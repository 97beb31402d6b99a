{{/* The pod of helm test: asks what clients rely on. */}}

{{- define "gpt-oss.smokeTemplate" -}}
{{- include "gpt-oss.pod" (dict "root" . "component" "test" "options" .Values.tests "spec" (include "gpt-oss.smokePod" .)) -}}
{{- end -}}

{{- define "gpt-oss.smokePod" -}}
restartPolicy: Never
{{- include "gpt-oss.account" (dict "root" .) }}
{{- include "gpt-oss.placed" .Values.tests }}
containers:
  - name: smoke
    image: {{ .Values.tests.image | default .plan.image | quote }}
    imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
    command:
      - python3
      - /etc/gpt-oss/scripts/smoke.py
      - {{ .plan.endpoint | quote }}
      - {{ .plan.servedName | quote }}
      - --wait
      - {{ .Values.tests.timeoutSeconds | int | quote }}
      - --timeout
      - {{ .Values.tests.timeoutSeconds | int | quote }}
      {{- if .plan.serve }}
      - --names
      - "no"
      {{- else }}
      - --release
      - {{ .Values.runtime.release | quote }}
      {{- end }}
    env:
      {{- include "gpt-oss.environment" (dict "base" (dict "HOME" "/tmp") "extra" .Values.tests.env) | nindent 6 }}
    resources:
      {{- include "gpt-oss.smallResources" (dict "resources" .Values.tests.resources "memory" "128Mi") | nindent 6 }}
    {{- include "gpt-oss.sealed" . | nindent 4 }}
    volumeMounts:
      - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
volumes:
  {{- include "gpt-oss.scriptsVolume" . | nindent 2 }}
{{- end -}}
