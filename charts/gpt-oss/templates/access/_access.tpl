{{/* What the ways in share. */}}

{{/* Labels of the pods that serve. Grove replaces the labels of a graph's pods that tell name and
     component; those of the operator stay. */}}
{{- define "gpt-oss.serving" -}}
{{- if .plan.serve -}}
{{- include "gpt-oss.selector" (dict "root" . "component" "server") -}}
{{- else -}}
nvidia.com/dynamo-graph-deployment-name: {{ .plan.name | quote }}
{{- end -}}
{{- end -}}

{{/* Labels of those of them that answer clients. */}}
{{- define "gpt-oss.answering" -}}
{{- include "gpt-oss.podSelector" (dict "root" . "component" (ternary "server" "frontend" .plan.serve)) -}}
{{- end -}}

{{/* Type, annotations and labels make a Service of the chart's own necessary: the operator's has none. */}}
{{- define "gpt-oss.serviceOptions" -}}
{{- $service := .Values.service -}}
type: {{ $service.type }}
{{- with $service.loadBalancerClass }}
loadBalancerClass: {{ . | quote }}
{{- end }}
{{- with $service.loadBalancerSourceRanges }}
loadBalancerSourceRanges:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Service and port that a way in leads to. Takes root and backend. */}}
{{- define "gpt-oss.backendName" -}}
{{- .backend.service | default .root.plan.serviceName | quote -}}
{{- end -}}

{{- define "gpt-oss.backendPort" -}}
{{- .backend.port | default 8000 | int -}}
{{- end -}}

{{/* Annotations by which a controller waits for long answers, takes long prompts and hands streams
     on. Takes into and ingress. */}}
{{- define "gpt-oss.fillIngressAnnotations" -}}
{{- $seconds := int .ingress.timeoutSeconds -}}
{{- $known := dict -}}
{{- if eq .ingress.controller "nginx" -}}
  {{- $prefix := "nginx.ingress.kubernetes.io" -}}
  {{- $_ := set $known (printf "%s/proxy-read-timeout" $prefix) (toString $seconds) -}}
  {{- $_ := set $known (printf "%s/proxy-send-timeout" $prefix) (toString $seconds) -}}
  {{- $_ := set $known (printf "%s/proxy-buffering" $prefix) "off" -}}
  {{- $_ := set $known (printf "%s/proxy-body-size" $prefix) "16m" -}}
{{- else if eq .ingress.controller "haproxy" -}}
  {{- range $prefix := list "haproxy.org" "haproxy-ingress.github.io" -}}
    {{- $_ := set $known (printf "%s/timeout-server" $prefix) (printf "%ds" $seconds) -}}
  {{- end -}}
{{- else if eq .ingress.controller "openshift" -}}
  {{- $_ := set $known "haproxy.router.openshift.io/timeout" (printf "%ds" $seconds) -}}
{{- else if eq .ingress.controller "aws" -}}
  {{- $prefix := "alb.ingress.kubernetes.io" -}}
  {{- $_ := set $known (printf "%s/target-type" $prefix) "ip" -}}
  {{- $_ := set $known (printf "%s/healthcheck-path" $prefix) "/health" -}}
  {{- $_ := set $known (printf "%s/load-balancer-attributes" $prefix) (printf "idle_timeout.timeout_seconds=%d" $seconds) -}}
{{- end -}}
{{- range $key, $value := merge (dict) .ingress.annotations $known -}}
  {{- $_ := set $.into $key $value -}}
{{- end -}}
{{- end -}}

{{/* What no way in can be made of. */}}
{{- define "gpt-oss.guardAccess" -}}
{{- $service := .Values.service -}}
{{- if ne $service.type "LoadBalancer" -}}
  {{- range $key := list "loadBalancerClass" "loadBalancerSourceRanges" -}}
    {{- if get $service $key -}}
      {{- fail (printf "service.%s: a Service of type %s has no load balancer; set service.type to LoadBalancer, or leave it out" $key $service.type) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
  {{- fail "ingress.hosts: the Ingress needs a name under which clients ask; write [{host: chat.example.com}]" -}}
{{- end -}}
{{- if and (eq .Values.ingress.controller "aws") (gt (int .Values.ingress.timeoutSeconds) 4000) -}}
  {{- fail (printf "ingress.timeoutSeconds: a load balancer of AWS waits 4000 s at most, not %d; write 4000 or less" (int .Values.ingress.timeoutSeconds)) -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
  {{- fail "httpRoute.parentRefs: the HTTPRoute needs a Gateway that serves it; write [{name: GATEWAY, namespace: ITS-NAMESPACE}]" -}}
{{- end -}}
{{- end -}}

{{/* Where clients outside the cluster ask, in words; nothing where no way in is made. */}}
{{- define "gpt-oss.addresses" -}}
{{- $scheme := ternary "https" "http" (not (empty .Values.ingress.tls)) -}}
{{- $found := list -}}
{{- if .Values.ingress.enabled -}}
  {{- range .Values.ingress.hosts -}}{{- $found = append $found (printf "%s://%s/v1" $scheme .host) -}}{{- end -}}
{{- end -}}
{{- if .Values.httpRoute.enabled -}}
  {{- range .Values.httpRoute.hostnames -}}{{- $found = append $found (printf "%s/v1" .) -}}{{- end -}}
{{- end -}}
{{- join ", " (uniq $found) -}}
{{- end -}}
