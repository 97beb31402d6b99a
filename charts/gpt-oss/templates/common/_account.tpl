{{/* Service account of the chart's own pods. Those of a graph keep the operator's, which may discover
     other pods. */}}

{{/* Takes root and waits: whether the pod has to list pods. Empty for the namespace's default. */}}
{{- define "gpt-oss.accountName" -}}
{{- $account := .root.Values.serviceAccount -}}
{{- if or $account.name $account.create -}}
{{- $account.name | default .root.plan.name -}}
{{- else if .waits -}}
{{- include "gpt-oss.shortName" (dict "root" .root "parts" (list "jobs")) -}}
{{- end -}}
{{- end -}}

{{/* Fields of a pod spec. Takes root and waits. */}}
{{- define "gpt-oss.account" -}}
{{- with include "gpt-oss.accountName" . }}
serviceAccountName: {{ . | quote }}
{{- end }}
automountServiceAccountToken: {{ .root.Values.serviceAccount.automountServiceAccountToken }}
{{- end -}}

{{/* Whether any Job waits for the rollout. */}}
{{- define "gpt-oss.anyWaits" -}}
{{- $any := false -}}
{{- range $job := list .Values.benchmark .Values.accuracy -}}
  {{- if and $job.enabled $job.waitForRollout -}}{{- $any = true -}}{{- end -}}
{{- end -}}
{{- $any -}}
{{- end -}}

{{- define "gpt-oss.guardAccount" -}}
{{- $account := .Values.serviceAccount -}}
{{- if and (eq (include "gpt-oss.anyWaits" .) "true") (not (or .Values.rbac.create $account.create $account.name)) -}}
  {{- $job := ternary "benchmark" "accuracy" (and .Values.benchmark.enabled .Values.benchmark.waitForRollout) -}}
  {{- fail (printf "rbac.create is false, but %s.waitForRollout has to list pods; set serviceAccount.name to an account that may, or %s.waitForRollout to false" $job $job) -}}
{{- end -}}
{{- end -}}
