{{/* Guards of autoscaling, disruption budgets and updates. */}}

{{- define "gpt-oss.guardScaling" -}}
{{- $root := . -}}
{{- $made := dict -}}
{{- include "gpt-oss.fillScalable" (dict "root" . "into" $made) -}}
{{- range $part := $made.found -}}
  {{- $where := ternary "frontend" (printf "workers.%s" $part.name) (eq $part.component "frontend") -}}
  {{- if $part.options.autoscaling.enabled -}}
    {{- include (ternary "gpt-oss.guardOthers" "gpt-oss.guardAutoscaling" (eq $.Values.autoscaling.kind "none")) (dict "root" $root "part" $part "where" (printf "%s.autoscaling" $where)) -}}
  {{- end -}}
  {{- $budget := $part.options.pdb -}}
  {{- if not (or (kindIs "invalid" $budget.minAvailable) (kindIs "invalid" $budget.maxUnavailable)) -}}
    {{- fail (printf "%s.pdb has minAvailable and maxUnavailable, of which a budget takes one; leave one of them out" $where) -}}
  {{- end -}}
{{- end -}}
{{- with .Values.updateStrategy -}}
  {{- $rolling := .rollingUpdate | default dict -}}
  {{- if and (has (toString $rolling.maxSurge) (list "0" "0%")) (has (toString $rolling.maxUnavailable) (list "0" "0%")) -}}
    {{- fail "updateStrategy.rollingUpdate: with maxSurge and maxUnavailable 0 nothing can be replaced; set one of them to 1" -}}
  {{- end -}}
  {{- if and .rollingUpdate (eq .type "Recreate") -}}
    {{- fail "updateStrategy.rollingUpdate: the type is Recreate, which has none; leave it out, or set updateStrategy.type to RollingUpdate" -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Where somebody else writes the replicas nobody reads what the chart's autoscalers would. Takes
     part and where. */}}
{{- define "gpt-oss.guardOthers" -}}
{{- range $key, $value := omit .part.options.autoscaling "enabled" "minReplicas" "maxReplicas" "behavior" -}}
  {{- if $value -}}
    {{- fail (printf "%s.%s: autoscaling.kind is none, and nobody reads it; leave it out, or set autoscaling.kind to keda or hpa" $.where $key) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Takes root, part and where. */}}
{{- define "gpt-oss.guardAutoscaling" -}}
{{- $scaling := .part.options.autoscaling -}}
{{- $all := .root.Values.autoscaling -}}
{{- if not $scaling.maxReplicas -}}
  {{- fail (printf "%s.maxReplicas is not set; set it to the most replicas that the cluster has GPUs for" .where) -}}
{{- end -}}
{{- if lt (int $scaling.maxReplicas) (int .part.replicas) -}}
  {{- fail (printf "%s.maxReplicas is %d, below the fewest replicas, %d; set it to %d or more" .where (int $scaling.maxReplicas) (int .part.replicas) (int .part.replicas)) -}}
{{- end -}}
{{- if lt (int .part.replicas) 1 -}}
  {{- fail (printf "%s.minReplicas: with 0 replicas nothing asks for more; set it to 1 or more" .where) -}}
{{- end -}}
{{- $own := ternary "triggers" "metrics" (eq $all.kind "keda") -}}
{{- $other := ternary "metrics" "triggers" (eq $all.kind "keda") -}}
{{- if get $scaling $other -}}
  {{- fail (printf "%s.%s: autoscaling.kind is %s, which reads %s; write them there, or set autoscaling.kind to %s" .where $other $all.kind $own (ternary "hpa" "keda" (eq $all.kind "keda"))) -}}
{{- end -}}
{{- $made := dict -}}
{{- include "gpt-oss.fillSignals" (dict "root" .root "part" .part "into" $made) -}}
{{- if not (or $made.signals $scaling.targetCPUUtilizationPercentage (get $scaling $own)) -}}
  {{- fail (printf "%s has nothing to go by; set targetQueuedRequests, targetInflightRequests, targetTimeToFirstToken, targetInterTokenLatency or %s" .where $own) -}}
{{- end -}}
{{- if and $made.signals (eq $all.kind "keda") (not $all.prometheus.serverAddress) -}}
  {{- fail "autoscaling.prometheus.serverAddress is not set; set it to the address under which KEDA reaches Prometheus, as in http://prometheus-operated.monitoring:9090" -}}
{{- end -}}
{{- end -}}
