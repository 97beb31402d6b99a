{{/* How pods go: what Dynamo and Kubernetes are told follows from the longest answer. */}}

{{/* Seconds from a pod's end to SIGKILL: the longest answer and 60 more. Of these a frontend spends
     30 in preStop; a prefill worker 30 until what it has cached is fetched; and all of them some
     to free what they hold. Takes root and options. */}}
{{- define "gpt-oss.podGrace" -}}
{{- .options.terminationGracePeriodSeconds | default (add .root.Values.shutdown.longestAnswerSeconds 60) | int -}}
{{- end -}}

{{/* Lifecycle of a container that a Service leads to: serves on while nothing new is sent here any
     more. Takes the seconds, as a string. */}}
{{- define "gpt-oss.preStop" -}}
lifecycle:
  preStop:
    exec: {command: [sleep, {{ . | quote }}]}
{{- end -}}

{{/* How often an answer may go on at another worker. */}}
{{- define "gpt-oss.migrationLimit" -}}
{{- $limit := .Values.shutdown.migrationLimit -}}
{{- if kindIs "invalid" $limit -}}
  {{- $limit = 0 -}}
  {{- range .plan.workers -}}
    {{- $most := ternary (.options.autoscaling.maxReplicas | default 2 | int) .replicas .options.autoscaling.enabled -}}
    {{- if and (ne .role "prefill") (gt $most 1) -}}{{- $limit = 3 -}}{{- end -}}
  {{- end -}}
{{- end -}}
{{- int $limit -}}
{{- end -}}
