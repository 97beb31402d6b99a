{{/* The two kinds of autoscaler. Each takes root, part and signals. */}}

{{/* A HorizontalPodAutoscaler reads metrics that an adapter serves; docs/scaling.md has its rules. */}}
{{- define "gpt-oss.horizontalPodAutoscaler" -}}
{{- $scaling := .part.options.autoscaling -}}
scaleTargetRef:
  {{- include "gpt-oss.scaleTarget" . | nindent 2 }}
minReplicas: {{ int .part.replicas }}
maxReplicas: {{ int $scaling.maxReplicas }}
behavior:
  {{- include "gpt-oss.scaleBehavior" . | nindent 2 }}
metrics:
  {{- with $scaling.targetCPUUtilizationPercentage }}
  - type: Resource
    resource:
      name: cpu
      target: {type: Utilization, averageUtilization: {{ int . }}}
  {{- end }}
  {{- range .signals }}
  {{- if $.root.plan.serve }}
  - type: Pods
    pods:
      metric: {name: {{ .metric }}}
      target: {type: AverageValue, averageValue: {{ toString .value | quote }}}
  {{- else }}
  - type: External
    external:
      metric:
        name: {{ .metric }}
        selector:
          matchLabels:
            dynamo_namespace: {{ printf "%s-%s" $.root.Release.Namespace $.root.plan.name }}
      {{- if .ratio }}
      target: {type: Value, value: {{ toString .value | quote }}}
      {{- else }}
      target: {type: AverageValue, averageValue: {{ toString .value | quote }}}
      {{- end }}
  {{- end }}
  {{- end }}
  {{- with $scaling.metrics }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* A ScaledObject asks Prometheus itself. A query that finds nothing is an error and not 0: what
     cannot be seen is not scaled down. */}}
{{- define "gpt-oss.scaledObject" -}}
{{- $scaling := .part.options.autoscaling -}}
{{- $prometheus := .root.Values.autoscaling.prometheus -}}
scaleTargetRef:
  {{- include "gpt-oss.scaleTarget" . | nindent 2 }}
minReplicaCount: {{ int .part.replicas }}
maxReplicaCount: {{ int $scaling.maxReplicas }}
advanced:
  horizontalPodAutoscalerConfig:
    behavior:
      {{- include "gpt-oss.scaleBehavior" . | nindent 6 }}
triggers:
  {{- with $scaling.targetCPUUtilizationPercentage }}
  - type: cpu
    metricType: Utilization
    metadata: {value: {{ int . | quote }}}
  {{- end }}
  {{- range .signals }}
  - type: prometheus
    name: {{ .metric }}
    metricType: {{ ternary "Value" "AverageValue" .ratio }}
    metadata:
      serverAddress: {{ $prometheus.serverAddress | quote }}
      query: {{ .query | quote }}
      threshold: {{ toString .value | quote }}
      ignoreNullValues: "false"
    {{- with $prometheus.authenticationRef }}
    authenticationRef: {name: {{ . | quote }}}
    {{- end }}
  {{- end }}
  {{- with $scaling.triggers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
