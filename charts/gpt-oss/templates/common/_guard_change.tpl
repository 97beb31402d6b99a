{{/* Guards of an upgrade: what is installed is told by its values, for a template asks no cluster. */}}

{{- define "gpt-oss.guardChange" -}}
{{- with .Values.installed -}}
  {{- $given := fromYaml . -}}
  {{- with $given.Error -}}{{- fail (printf "installed: it is no YAML of values: %s" .) -}}{{- end -}}
  {{- $was := dict "Values" (omit $given "installed") "plan" (dict "facts" $.plan.facts) -}}
  {{- $was = merge $was (dict "Files" $.Files "Release" $.Release "Chart" $.Chart "Template" $.Template) -}}
  {{- include "gpt-oss.mergeValues" $was -}}
  {{- if not (and $was.Values.workers $was.Values.hardware.gpu) -}}
    {{- fail "installed: it chooses no target and has no workers; give what `helm get values` says of the release" -}}
  {{- end -}}
  {{- include "gpt-oss.fillPlan" $was -}}
  {{- $change := dict "now" $ "was" $was -}}
  {{- if ne $.Values.runtime.kind $was.Values.runtime.kind -}}
    {{- fail (printf "runtime.kind: %s is installed, and %s would take its place before its model is loaded; install it under another release name" $was.Values.runtime.kind $.Values.runtime.kind) -}}
  {{- end -}}
  {{- if $.plan.serve -}}{{- include "gpt-oss.guardSelector" $change -}}{{- else -}}{{- include "gpt-oss.guardGraph" $change -}}{{- end -}}
  {{- include "gpt-oss.guardClaim" $change -}}
{{- end -}}
{{- end -}}

{{/* What the operator refuses to change. Takes now and was. */}}
{{- define "gpt-oss.guardGraph" -}}
{{- $nodes := dict -}}
{{- range .was.plan.workers -}}{{- $_ := set $nodes .name (int .nodes) -}}{{- end -}}
{{- $names := list -}}
{{- range .now.plan.workers -}}{{- $names = append $names .name -}}{{- end -}}
{{- $before := keys $nodes | sortAlpha | join ", " -}}
{{- $after := sortAlpha $names | join ", " -}}
{{- if and (eq .now.plan.name .was.plan.name) (ne $before $after) -}}
  {{- fail (printf "workers: %s are installed, and the operator refuses to make them %s; install it under another release name, or keep a worker with replicas: 0" $before $after) -}}
{{- end -}}
{{- range .now.plan.workers -}}
  {{- $several := gt (int .nodes) 1 -}}
  {{- if and (hasKey $nodes .name) (ne $several (gt (get $nodes .name) 1)) -}}
    {{- fail (printf "workers.%s.nodes: it is installed on %d nodes, and the operator refuses to change between one node and several, here %d; install it under another release name" .name (get $nodes .name) (int .nodes)) -}}
  {{- end -}}
{{- end -}}
{{- if ne .now.plan.apiVersion .was.plan.apiVersion -}}
  {{- fail (printf "runtime.apiVersion: %s is installed, and would change to %s along with the rest; set it to %s, and change it by itself" .was.plan.apiVersion .now.plan.apiVersion .was.plan.apiVersion) -}}
{{- end -}}
{{- end -}}

{{/* A Deployment keeps its selector. Takes now and was. */}}
{{- define "gpt-oss.guardSelector" -}}
{{- $before := include "gpt-oss.appName" .was -}}
{{- $after := include "gpt-oss.appName" .now -}}
{{- if and (eq .now.plan.name .was.plan.name) (ne $before $after) -}}
  {{- fail (printf "nameOverride: %s is installed, and stands in the selector, which the API server refuses to change to %s; set it to %s" $before $after $before) -}}
{{- end -}}
{{- end -}}

{{/* A claim only grows. Takes now and was. */}}
{{- define "gpt-oss.guardClaim" -}}
{{- if and .now.plan.cache.own .was.plan.cache.own (eq .now.plan.claimName .was.plan.claimName) -}}
  {{- $before := .was.Values.modelCache -}}
  {{- $after := .now.Values.modelCache -}}
  {{- range $key := list "storageClassName" "accessMode" "volumeName" "selector" -}}
    {{- if ne (get $before $key | toJson) (get $after $key | toJson) -}}
      {{- fail (printf "modelCache.%s: the claim is installed with %s, and the API server refuses to change it to %s; keep it, or name a new claim in modelCache.existingClaim" $key (get $before $key | toJson) (get $after $key | toJson)) -}}
    {{- end -}}
  {{- end -}}
  {{- if lt (include "gpt-oss.bytes" $after.size | float64) (include "gpt-oss.bytes" $before.size | float64) -}}
    {{- fail (printf "modelCache.size: the claim is installed with %v, and the API server refuses to make it smaller; set it to %v or more" $before.size $before.size) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* A quantity of storage in bytes. */}}
{{- define "gpt-oss.bytes" -}}
{{- $text := toString . -}}
{{- $units := dict "" 1.0 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 -}}
{{- $number := regexFind "^[0-9.]+" $text -}}
{{- mulf (float64 $number) (get $units (trimPrefix $number $text) | default 1.0) -}}
{{- end -}}
