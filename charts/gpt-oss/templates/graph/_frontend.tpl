{{/* The frontend of the graph. */}}

{{/* Takes root and component. */}}
{{- define "gpt-oss.fillFrontend" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- $_ := set $component "type" "frontend" -}}
{{- $_ := set $component "replicas" $root.Values.frontend.replicas -}}
{{- $_ := set $component "nodes" 1 -}}
{{- $_ := set $component "pod" dict -}}
{{- $checksum := include "gpt-oss.scriptsChecksum" (dict "root" $root "scripts" (list "model_cache.py")) -}}
{{- include "gpt-oss.fillPod" (dict "into" $component.pod "pod" (dict "root" $root "component" "frontend"
      "options" $root.Values.frontend "spec" (include "gpt-oss.frontendPod" $root) "annotations" (dict "checksum/scripts" $checksum))) -}}
{{- end -}}

{{/* Its home must be writable: it keeps model cards there. */}}
{{- define "gpt-oss.frontendPod" -}}
{{- $options := .Values.frontend -}}
{{- $environment := dict "HOME" "/home/frontend" -}}
{{- include "gpt-oss.fillCacheEnvironment" (dict "into" $environment) -}}
{{- if .plan.release.frontendWaits -}}
  {{- $_ := set $environment "DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS" (int .Values.shutdown.longestAnswerSeconds) -}}
{{- end -}}
terminationGracePeriodSeconds: {{ include "gpt-oss.podGrace" (dict "root" . "options" $options) }}
{{- include "gpt-oss.cachePlacement" . }}
initContainers:
  {{- include "gpt-oss.waitForCache" . | nindent 2 }}
containers:
  - name: main
    image: {{ .plan.image | quote }}
    imagePullPolicy: {{ .Values.runtime.imagePullPolicy }}
    command: [python3, -m, dynamo.frontend]
    args:
      - --router-mode
      - {{ $options.routerMode | quote }}
      {{- if eq (include "gpt-oss.enforceDisagg" .) "true" }}
      - --enforce-disagg
      {{- end }}
      {{- with include "gpt-oss.migrationLimit" . | int }}
      - --migration-limit
      - {{ . | quote }}
      {{- end }}
      {{- range $options.extraArgs }}
      - {{ . | quote }}
      {{- end }}
    env:
      {{- include "gpt-oss.environment" (dict "base" $environment "extra" $options.env) | nindent 6 }}
    resources:
      {{- include "gpt-oss.resources" (dict "resources" $options.resources "cpu" "4" "memory" "8Gi") | nindent 6 }}
    {{- include "gpt-oss.sealed" . | nindent 4 }}
    {{- /* A frontend that is told to go loses what is being prefilled. */}}
    {{- include "gpt-oss.preStop" "30" | nindent 4 }}
    volumeMounts:
      {{- include "gpt-oss.cacheMounts" . | nindent 6 }}
      - {name: home, mountPath: /home/frontend}
      - {name: tmp, mountPath: /tmp}
volumes:
  {{- include "gpt-oss.cacheVolumes" . | nindent 2 }}
  - {name: home, emptyDir: {}}
  - {name: tmp, emptyDir: {}}
{{- end -}}

{{/* Whether to ask the frontend to refuse what prefill workers should do while there are none.
     Releases that always do so ignore the flag, with a warning. */}}
{{- define "gpt-oss.enforceDisagg" -}}
{{- $wanted := .Values.frontend.enforceDisagg -}}
{{- if kindIs "invalid" $wanted -}}{{- $wanted = .plan.disaggregated -}}{{- end -}}
{{- and $wanted (eq .plan.release.enforceDisagg "effective") -}}
{{- end -}}
