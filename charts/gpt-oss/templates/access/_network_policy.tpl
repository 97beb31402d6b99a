{{/* Pieces of the network policies. */}}

{{/* A policy's head. Takes root and part (the end of its name). */}}
{{- define "gpt-oss.policyHead" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "gpt-oss.metadata" (dict "root" .root "name" (include "gpt-oss.shortName" (dict "root" .root "parts" (list .part)))) | nindent 2 }}
{{- end -}}

{{/* Selects pods of the chart's own of some components, or all of them. Takes root and components. */}}
{{- define "gpt-oss.ownPods" -}}
matchLabels:
  {{- include "gpt-oss.selector" (dict "root" .root "component" "") | nindent 2 }}
{{- with .components }}
matchExpressions:
  - key: app.kubernetes.io/component
    operator: In
    values:
      {{- toYaml . | nindent 6 }}
{{- end }}
{{- end -}}

{{/* Names of hosts. 5353 is where OpenShift's DNS listens behind its Service. */}}
{{- define "gpt-oss.egressToNames" -}}
- ports:
    {{- range $port := list 53 5353 }}
    - {port: {{ $port }}, protocol: UDP}
    - {port: {{ $port }}, protocol: TCP}
    {{- end }}
{{- end -}}

{{/* A port from peers, or from everybody when there are none. Takes port and peers. */}}
{{- define "gpt-oss.ingressRule" -}}
- ports:
    - {port: {{ .port }}, protocol: TCP}
  {{- with .peers }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Addresses and ports outside of the cluster's pods, or nothing. Takes cidrs and ports. */}}
{{- define "gpt-oss.egressTo" -}}
{{- if and .cidrs .ports -}}
- to:
    {{- range .cidrs }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
  ports:
    {{- range .ports }}
    - {port: {{ int . }}, protocol: TCP}
    {{- end }}
{{- end -}}
{{- end -}}

{{/* Ports of etcd and NATS; the platform brings them before 1.4. */}}
{{- define "gpt-oss.fillPlatformPorts" -}}
{{- $ports := .root.Values.networkPolicy.platform.ports -}}
{{- if kindIs "invalid" $ports -}}
  {{- $ports = ternary (list 2379 4222) (list) (semverCompare "<1.4.0-0" .root.Values.runtime.release) -}}
{{- end -}}
{{- $_ := set .into "ports" $ports -}}
{{- end -}}
