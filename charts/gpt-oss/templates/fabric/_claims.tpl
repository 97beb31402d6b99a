{{/* Devices that workers claim by dynamic resource allocation: GPUs, the channel of a ComputeDomain, and
     what the values add. */}}

{{- define "gpt-oss.channelTemplate" -}}
{{- .Values.hardware.computeDomain.resourceClaimTemplate | default (printf "%s-channel" .plan.name) -}}
{{- end -}}

{{/* Whether a worker claims the channel. Takes root and worker. */}}
{{- define "gpt-oss.claimsChannel" -}}
{{- and .root.Values.hardware.computeDomain.enabled .worker.options.computeDomain -}}
{{- end -}}

{{/* Requests of a worker's GPUs, as YAML; before v1beta2 they are flat. Takes root and worker. */}}
{{- define "gpt-oss.gpuRequests" -}}
{{- $dra := .root.Values.hardware.dra -}}
{{- $request := dict "deviceClassName" $dra.deviceClassName "allocationMode" "ExactCount" "count" (int .worker.gpusPerPod) -}}
{{- with $dra.selectors -}}
  {{- $selectors := list -}}
  {{- range . -}}{{- $selectors = append $selectors (dict "cel" (dict "expression" .)) -}}{{- end -}}
  {{- $_ := set $request "selectors" $selectors -}}
{{- end -}}
{{- if ne $dra.apiVersion "v1beta1" -}}{{- $request = dict "exactly" $request -}}{{- end -}}
{{- toYaml (list (set $request "name" "gpus")) -}}
{{- end -}}

{{/* A template cannot be changed in place: its name changes with its content. Takes root and worker. */}}
{{- define "gpt-oss.gpuTemplate" -}}
{{- $hash := printf "%s %s" .root.Values.hardware.dra.apiVersion (include "gpt-oss.gpuRequests" .) | sha256sum | trunc 8 -}}
{{- include "gpt-oss.shortName" (dict "root" .root "parts" (list .worker.name "gpus" $hash)) -}}
{{- end -}}

{{/* Claims of a worker's pod, as YAML; none give no text. Takes root and worker. */}}
{{- define "gpt-oss.claimsOfPod" -}}
{{- if .root.Values.hardware.dra.enabled }}
- name: gpus
  resourceClaimTemplateName: {{ include "gpt-oss.gpuTemplate" . | quote }}
{{- end }}
{{- if eq (include "gpt-oss.claimsChannel" .) "true" }}
- name: channel
  resourceClaimTemplateName: {{ include "gpt-oss.channelTemplate" .root | quote }}
{{- end }}
{{- range .worker.options.resourceClaims }}
- name: {{ .name | quote }}
  {{- with .resourceClaimTemplateName }}
  resourceClaimTemplateName: {{ . | quote }}
  {{- end }}
  {{- with .resourceClaimName }}
  resourceClaimName: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* The same as its container asks for them. Takes root and worker. */}}
{{- define "gpt-oss.claimsOfContainer" -}}
{{- if .root.Values.hardware.dra.enabled }}
- name: gpus
{{- end }}
{{- if eq (include "gpt-oss.claimsChannel" .) "true" }}
- name: channel
{{- end }}
{{- range .worker.options.resourceClaims }}
- name: {{ .name | quote }}
  {{- with .request }}
  request: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "gpt-oss.guardClaims" -}}
{{- $dra := .root.Values.hardware.dra.enabled -}}
{{- $name := .worker.name -}}
{{- if and $dra (gt (int .worker.nodes) 1) (semverCompare "<1.5.0-0" .root.Values.runtime.release) -}}
  {{- fail (printf "hardware.dra.enabled: workers.%s spans %d nodes, and the operator of release %s starts no rank of a worker that has no GPU limit; set it to false or set runtime.release to 1.5.1 or newer" $name (int .worker.nodes) .root.Values.runtime.release) -}}
{{- end -}}
{{- $taken := list -}}
{{- if $dra -}}{{- $taken = append $taken "gpus" -}}{{- end -}}
{{- if eq (include "gpt-oss.claimsChannel" .) "true" -}}{{- $taken = append $taken "channel" -}}{{- end -}}
{{- range .worker.options.resourceClaims -}}
  {{- if has .name $taken -}}
    {{- fail (printf "workers.%s.resourceClaims: %s is there already; give it another name" $name .name) -}}
  {{- end -}}
  {{- $taken = append $taken .name -}}
  {{- if eq (empty .resourceClaimName) (empty .resourceClaimTemplateName) -}}
    {{- fail (printf "workers.%s.resourceClaims: %s takes either resourceClaimTemplateName or resourceClaimName; set one of them" $name .name) -}}
  {{- end -}}
{{- end -}}
{{- end -}}
