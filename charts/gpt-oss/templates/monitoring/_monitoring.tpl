{{/* What alerts and dashboards have in common: which pods are this release's, and what they tell. */}}

{{/* A regular expression of pods' names. The Grove operator puts the number of the graph before the
     component, the others put nothing there. Takes root and components. */}}
{{- define "gpt-oss.podsPattern" -}}
{{- if .root.plan.serve -}}
{{- printf "%s-.+" .root.plan.serviceName -}}
{{- else -}}
{{- printf "%s-(0-)?(%s)-.+" .root.plan.name (join "|" .components) -}}
{{- end -}}
{{- end -}}

{{/* Every component that answers Prometheus, as a comma-separated text. */}}
{{- define "gpt-oss.monitored" -}}
{{- $names := list (ternary "server" "frontend" .plan.serve) -}}
{{- if not .plan.serve -}}
  {{- range .plan.workers -}}{{- $names = append $names .name -}}{{- end -}}
{{- end -}}
{{- join "," $names -}}
{{- end -}}

{{/* PromQL: what chooses series of components. Takes root and components. */}}
{{- define "gpt-oss.matchers" -}}
{{- printf "namespace=%q, pod=~%q" .root.Release.Namespace (include "gpt-oss.podsPattern" .) -}}
{{- end -}}

{{/* "true" where workers tell how full their KV cache is. */}}
{{- define "gpt-oss.tellsCache" -}}
{{- if .plan.serve -}}
{{- (first .plan.workers).engine.enable_iter_perf_stats | default false -}}
{{- else -}}
{{- $byEvents := and (eq .Values.frontend.routerMode "kv") (not .plan.release.metricsFlag) -}}
{{- or .Values.monitoring.engineMetrics $byEvents | default false -}}
{{- end -}}
{{- end -}}

{{- define "gpt-oss.alertLabels" -}}
{{- $own := dict "severity" .severity "release" .root.plan.name "namespace" .root.Release.Namespace -}}
{{- with .component -}}{{- $_ := set $own "component" . -}}{{- end -}}
{{- merge (dict) .labels $own | toYaml -}}
{{- end -}}
