{{/* Guards of runtime.kind trtllm-serve, and of what depends on the kind. */}}

{{- define "gpt-oss.guardServer" -}}
{{- $release := .plan.release -}}
{{- $names := list -}}
{{- range $name, $worker := .Values.workers -}}
  {{- if not $worker -}}{{- continue -}}{{- end -}}
  {{- $names = append $names $name -}}
  {{- if ne $worker.role "aggregated" -}}
    {{- fail (printf "workers.%s.role: runtime.kind trtllm-serve has one worker, of role aggregated, and no %s worker; set it to aggregated, or set runtime.kind to dynamo" $name $worker.role) -}}
  {{- end -}}
{{- end -}}
{{- if gt (len $names) 1 -}}
  {{- fail (printf "workers.%s: runtime.kind trtllm-serve has one worker, but there are %d (%s); keep one, or set runtime.kind to dynamo" (last $names) (len $names) (join ", " $names)) -}}
{{- end -}}
{{- with first .plan.workers -}}
  {{- if gt (int .nodes) 1 -}}
    {{- fail (printf "workers.%s.nodes: trtllm-serve runs on one node here, but %s needs %d GPUs on %d nodes; set workers.%s.engine.tensor_parallel_size to at most %d and workers.%s.nodes to 1, or set runtime.kind to dynamo" .name .product (int .gpus) (int .nodes) .name (int $.plan.gpu.gpusPerNode) .name) -}}
  {{- end -}}
{{- end -}}
{{- with .Values.runtime.apiVersion -}}
  {{- fail (printf "runtime.apiVersion: runtime.kind trtllm-serve makes no DynamoGraphDeployment, so that %s says nothing; leave it out" .) -}}
{{- end -}}
{{- range $key, $default := .plan.defaults.frontend -}}
  {{- if ne (get $.Values.frontend $key | default "" | toJson) ($default | default "" | toJson) -}}
    {{- fail (printf "frontend.%s: runtime.kind trtllm-serve has no frontend; leave it out, or set runtime.kind to dynamo" $key) -}}
  {{- end -}}
{{- end -}}
{{- if not (kindIs "invalid" .Values.shutdown.migrationLimit) -}}
  {{- fail "shutdown.migrationLimit: runtime.kind trtllm-serve has one server, and no other that could go on with its answers; leave it out, or set runtime.kind to dynamo" -}}
{{- end -}}
{{- if and (ne .plan.servedName .Values.model.id) (not $release.servedModelName) -}}
  {{- fail (printf "model.servedName: trtllm-serve %s, of release %s, is not known to take another name than the model's id; set it to %s or set runtime.release to 1.1.1 or newer" $release.trtllm .Values.runtime.release .Values.model.id) -}}
{{- end -}}
{{- end -}}

{{- define "gpt-oss.guardMonitoring" -}}
{{- if .plan.serve -}}
  {{- $worker := first .plan.workers -}}
  {{- range $key := list "podMonitor" "dashboard" "prometheusRule" -}}
    {{- if and (get $.Values.monitoring $key).enabled (not $worker.engine.return_perf_metrics) -}}
      {{- fail (printf "monitoring.%s.enabled: trtllm-serve has /prometheus/metrics only with return_perf_metrics; set workers.%s.engine.return_perf_metrics to true" $key $worker.name) -}}
    {{- end -}}
  {{- end -}}
  {{- if .Values.monitoring.engineMetrics -}}
    {{- fail (printf "monitoring.engineMetrics: trtllm-serve tells its load by a key of the engine; leave it out, and set workers.%s.engine.enable_iter_perf_stats to true" $worker.name) -}}
  {{- end -}}
{{- end -}}
{{- end -}}
