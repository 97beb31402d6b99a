{{/* What Jobs that ask the model share. */}}

{{/* Init containers that wait until no pod of before serves, and until the model answers one token.
     Takes root, image and options. */}}
{{- define "gpt-oss.waitForModel" -}}
{{- if .options.waitForRollout }}
- name: wait-for-rollout
  image: {{ .image | quote }}
  imagePullPolicy: {{ .root.Values.runtime.imagePullPolicy }}
  command:
    - python3
    - /etc/gpt-oss/scripts/rollout.py
    - /etc/gpt-oss/scripts/rollout.json
    - --wait
    - {{ .options.waitSeconds | int | quote }}
  resources:
    {{- include "gpt-oss.smallResources" (dict "resources" .root.Values.initContainers.resources "memory" "128Mi") | nindent 4 }}
  {{- include "gpt-oss.sealed" .root | nindent 2 }}
  volumeMounts:
    - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
    - {name: api-access, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
{{- end }}
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
    - {{ .options.waitSeconds | int | quote }}
  resources:
    {{- include "gpt-oss.smallResources" (dict "resources" .root.Values.initContainers.resources "memory" "128Mi") | nindent 4 }}
  {{- include "gpt-oss.sealed" .root | nindent 2 }}
  volumeMounts:
    - {name: scripts, mountPath: /etc/gpt-oss/scripts, readOnly: true}
{{- end -}}

{{/* What the service account's files are: for the container that waits, and for no other.
     Takes options. */}}
{{- define "gpt-oss.accessVolume" -}}
{{- if .options.waitForRollout }}
- name: api-access
  projected:
    sources:
      - serviceAccountToken: {path: token, expirationSeconds: 3600}
      - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
      - downwardAPI: {items: [{path: namespace, fieldRef: {fieldPath: metadata.namespace}}]}
{{- end }}
{{- end -}}

{{/* Annotations of a Job's pod: with them its name changes when what it measures does.
     Takes root and options. */}}
{{- define "gpt-oss.measures" -}}
gpt-oss/measures: {{ include "gpt-oss.servedChecksum" .root }}
{{- with .options.runId }}
gpt-oss/run-id: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Fields of a Job. */}}
{{- define "gpt-oss.jobTimes" -}}
{{- with .activeDeadlineSeconds }}
activeDeadlineSeconds: {{ int . }}
{{- end }}
{{- if not (kindIs "invalid" .ttlSecondsAfterFinished) }}
ttlSecondsAfterFinished: {{ int .ttlSecondsAfterFinished }}
{{- end }}
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

{{/* Takes root and options. */}}
{{- define "gpt-oss.artifactMount" -}}
- name: artifacts
  mountPath: {{ include "gpt-oss.artifactFolder" .root }}
{{- with and .options.artifacts.existingClaim .options.artifacts.subPath }}
  subPath: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* A Job's pod template with the folder of its results, which is named after the Job when the values
     name none: known only when the rest of the pod is. Takes template (text), options and folder. */}}
{{- define "gpt-oss.withFolder" -}}
{{- $template := fromYaml .template -}}
{{- if and .options.artifacts.existingClaim (not .options.artifacts.subPath) -}}
  {{- range (first $template.spec.containers).volumeMounts -}}
    {{- if eq .name "artifacts" -}}{{- $_ := set . "subPath" $.folder -}}{{- end -}}
  {{- end -}}
{{- end -}}
{{- toYaml $template -}}
{{- end -}}
