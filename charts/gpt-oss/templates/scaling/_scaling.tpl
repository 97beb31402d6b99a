{{/* What changes the number of pods, and what keeps them: helpers. */}}

{{/* Labels that select the pods of one component. Grove overwrites the chart's own labels on pods of a
     graph, but not the operator's. Takes root and component. */}}
{{- define "gpt-oss.podSelector" -}}
{{- $parts := list "frontend" -}}
{{- range .root.plan.workers -}}{{- $parts = append $parts .name -}}{{- end -}}
{{- if and (not .root.plan.serve) (has .component $parts) -}}
nvidia.com/dynamo-graph-deployment-name: {{ .root.plan.name | quote }}
nvidia.com/dynamo-component: {{ .component | quote }}
{{- else -}}
{{- include "gpt-oss.selector" . -}}
{{- end -}}
{{- end -}}

{{/* Where each constraint says no pods, those of the component itself. Takes root, component and
     constraints. */}}
{{- define "gpt-oss.spread" -}}
{{- range .constraints }}
- {{ toYaml . | nindent 2 | trim }}
{{- if not (hasKey . "labelSelector") }}
  labelSelector:
    matchLabels:
      {{- include "gpt-oss.podSelector" $ | nindent 6 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Puts a map of what can be scaled by a name for it into a list: name, component (of its pods),
     options and target. Takes root and into, a map that gets the list. */}}
{{- define "gpt-oss.fillScalable" -}}
{{- $root := .root -}}
{{- $found := list -}}
{{- if $root.plan.serve -}}
  {{- $worker := first $root.plan.workers -}}
  {{- $found = list (dict "name" $worker.name "component" "server" "options" $worker.options "replicas" $worker.replicas) -}}
{{- else -}}
  {{- $frontend := $root.Values.frontend -}}
  {{- $least := ternary ($frontend.autoscaling.minReplicas | default $frontend.replicas) $frontend.replicas $frontend.autoscaling.enabled -}}
  {{- $found = list (dict "name" "frontend" "component" "frontend" "options" $frontend "replicas" $least) -}}
  {{- range $root.plan.workers -}}
    {{- $found = append $found (dict "name" .name "component" .name "options" .options "replicas" .replicas) -}}
  {{- end -}}
{{- end -}}
{{- $_ := set .into "found" $found -}}
{{- end -}}

{{/* What an autoscaler writes replicas into: the operator's adapter of a component, or the server.
     Takes root and part. */}}
{{- define "gpt-oss.scaleTarget" -}}
{{- if .root.plan.serve -}}
apiVersion: apps/v1
kind: Deployment
name: {{ .root.plan.serviceName }}
{{- else -}}
apiVersion: nvidia.com/{{ .root.plan.apiVersion }}
kind: DynamoGraphDeploymentScalingAdapter
name: {{ printf "%s-%s" .root.plan.name (lower .part.name) }}
{{- end -}}
{{- end -}}

{{/* How fast it goes up and down. Takes root and part. */}}
{{- define "gpt-oss.scaleBehavior" -}}
{{- $behavior := deepCopy .root.Values.autoscaling.behavior -}}
{{- include "gpt-oss.merge" (dict "into" $behavior "from" (.part.options.autoscaling.behavior | default dict)) -}}
{{- toYaml $behavior -}}
{{- end -}}

{{/* Puts what is looked at into a list, for each target that is set: metric, query, value (in the
     metric's unit) and whether it is a ratio. Without requests it is 0; where Prometheus reads nobody
     it is nothing, and nothing is scaled down for it.
     Takes root, part and into, a map that gets the list. */}}
{{- define "gpt-oss.fillSignals" -}}
{{- $scaling := .part.options.autoscaling -}}
{{- $serve := .root.plan.serve -}}
{{- $series := printf "{dynamo_namespace=%q}" (printf "%s-%s" .root.Release.Namespace .root.plan.name) -}}
{{- $queued := "dynamo_frontend_queued_requests" -}}
{{- $running := "dynamo_frontend_inflight_requests" -}}
{{- $first := "dynamo_frontend_time_to_first_token_seconds" -}}
{{- $next := "dynamo_frontend_inter_token_latency_seconds" -}}
{{- if $serve -}}
  {{- $series = printf "{namespace=%q,pod=~%q}" .root.Release.Namespace (printf "%s-.+" .root.plan.serviceName) -}}
  {{- $queued = "trtllm_num_requests_waiting" -}}
  {{- $running = "trtllm_num_requests_running" -}}
  {{- $first = "trtllm_time_to_first_token_seconds" -}}
  {{- $next = "trtllm_time_per_output_token_seconds" -}}
{{- end -}}
{{- $none := printf "0 * sum(up%s == 1)" $series -}}
{{- $signals := list -}}
{{- range $key, $metric := dict "targetQueuedRequests" $queued "targetInflightRequests" $running -}}
  {{- with get $scaling $key -}}
    {{- $signals = append $signals (dict "metric" $metric "query" (printf "sum(%s%s) or %s" $metric $series $none) "value" (int .) "ratio" false) -}}
  {{- end -}}
{{- end -}}
{{- range $key, $metric := dict "targetTimeToFirstToken" $first "targetInterTokenLatency" $next -}}
  {{- with get $scaling $key -}}
    {{- $quantile := printf "histogram_quantile(0.95, sum by (le) (rate(%s_bucket%s[2m])))" $metric $series -}}
    {{- $query := printf "%s >= 0 or %s" $quantile $none -}}
    {{- $signals = append $signals (dict "metric" (printf "%s_p95" $metric) "query" $query "value" (divf . 1000) "ratio" true) -}}
  {{- end -}}
{{- end -}}
{{- $_ := set .into "signals" $signals -}}
{{- end -}}
