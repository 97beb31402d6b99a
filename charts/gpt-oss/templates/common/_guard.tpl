{{/* Guards: what can only be a mistake fails here, with the value to set. */}}

{{/* What everything else follows from: a target or workers, their roles, and the GPU. */}}
{{- define "gpt-oss.guardChoice" -}}
{{- $facts := .plan.facts -}}
{{- $any := false -}}
{{- range .Values.workers -}}{{- if . -}}{{- $any = true -}}{{- end -}}{{- end -}}
{{- if not $any -}}
  {{- $lines := list -}}
  {{- range $name, $target := $facts.targets -}}
    {{- $lines = append $lines (printf "  --set target=%s    %s" $name $target) -}}
  {{- end -}}
  {{- fail (printf "no target is chosen. Choose one of those in the chart, or write workers of your own:\n%s" (join "\n" $lines)) -}}
{{- else if not .Values.hardware.gpu -}}
  {{- fail (printf "hardware.gpu is not set; set it to one of %s" (keys $facts.gpus | sortAlpha | join ", ")) -}}
{{- end -}}
{{- if not (and $any .Values.hardware.gpu) -}}
  {{- /* Only `helm lint` goes on after a failure: it looks at a target instead. */ -}}
  {{- $_ := set . "Values" (dict "target" (keys $facts.targets | sortAlpha | first)) -}}
  {{- include "gpt-oss.mergeValues" . -}}
{{- end -}}
{{- include "gpt-oss.guardNoRole" . -}}
{{- end -}}

{{/* Characters that Helm writes as they are and that YAML reads as others: control characters, and
     separators that end a line, behind which everything else could follow. */}}
{{- define "gpt-oss.guardCharacters" -}}
{{- if regexMatch "[\\x{7f}-\\x{9f}]|\\\\u202[89]" (toJson .Values) -}}
  {{- include "gpt-oss.failOnCharacters" (dict "at" "" "node" .Values) -}}
{{- end -}}
{{- end -}}

{{/* Takes at (a path) and node. */}}
{{- define "gpt-oss.failOnCharacters" -}}
{{- if or (kindIs "map" .node) (kindIs "slice" .node) -}}
  {{- range $key, $value := .node -}}
    {{- $at := trimPrefix "." (printf "%s.%v" $.at $key) -}}
    {{- include "gpt-oss.failOnCharacters" (dict "at" $.at "node" (toString $key)) -}}
    {{- include "gpt-oss.failOnCharacters" (dict "at" $at "node" $value) -}}
  {{- end -}}
{{- else -}}
  {{- with regexFind "[\\x{7f}-\\x{9f}\\x{2028}\\x{2029}]" (toString .node) -}}
    {{- fail (printf "%s: it has the character %+q, which YAML does not carry; leave it out" $.at .) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{- define "gpt-oss.guard" -}}
{{- if .plan.serve -}}{{- include "gpt-oss.guardServer" . -}}{{- else -}}{{- include "gpt-oss.guardRelease" . -}}{{- end -}}
{{- include "gpt-oss.guardMonitoring" . -}}
{{- include "gpt-oss.guardCache" . -}}
{{- include "gpt-oss.guardRoles" . -}}
{{- range .plan.workers -}}
  {{- include "gpt-oss.guardWorker" (dict "root" $ "worker" .) -}}
{{- end -}}
{{- if not .plan.serve -}}
{{- include "gpt-oss.guardName" . -}}
{{- include "gpt-oss.guardComponents" . -}}
{{- end -}}
{{- include "gpt-oss.guardLabels" . -}}
{{- include "gpt-oss.guardAccess" . -}}
{{- include "gpt-oss.guardScaling" . -}}
{{- include "gpt-oss.guardAccount" . -}}
{{- if .Values.benchmark.enabled -}}
  {{- include "gpt-oss.guardTraffic" . -}}
{{- end -}}
{{- if .Values.accuracy.enabled -}}
  {{- include "gpt-oss.guardAccuracy" . -}}
{{- end -}}
{{- end -}}

{{- define "gpt-oss.guardRelease" -}}
{{- $release := .plan.release -}}
{{- $version := .plan.apiVersion -}}
{{- if not (has $version $release.apiVersions) -}}
  {{- fail (printf "runtime.apiVersion: the operator of release %s does not serve %s; set it to %s or leave it out" .Values.runtime.release $version (join " or " $release.apiVersions)) -}}
{{- end -}}
{{- if not (has .Values.frontend.routerMode $release.routerModes) -}}
  {{- fail (printf "frontend.routerMode: release %s has no %s; set it to one of %s" .Values.runtime.release .Values.frontend.routerMode (join ", " $release.routerModes)) -}}
{{- end -}}
{{- if and (ne .plan.servedName .Values.model.id) (not $release.selfHostMetadata) -}}
  {{- fail (printf "model.servedName: release %s finds a model only by its id; set it to %s or set runtime.release to 1.2.1 or newer" .Values.runtime.release .Values.model.id) -}}
{{- end -}}
{{- if and .Values.frontend.enforceDisagg (eq $release.enforceDisagg "refused") -}}
  {{- fail (printf "frontend.enforceDisagg: the frontend of release %s has no such flag; leave it out or set runtime.release to 1.1.1 or newer" .Values.runtime.release) -}}
{{- end -}}
{{- end -}}

{{/* A worker without a role is mostly another one misspelt, in an overlay or a --set. */}}
{{- define "gpt-oss.guardNoRole" -}}
{{- $whole := list -}}
{{- $without := list -}}
{{- range $name, $worker := .Values.workers -}}
  {{- if $worker -}}
    {{- if $worker.role -}}{{- $whole = append $whole $name -}}{{- else -}}{{- $without = append $without $name -}}{{- end -}}
  {{- end -}}
{{- end -}}
{{- with first $without -}}
  {{- $others := ternary (printf ", or write the name of another worker: %s" (join ", " $whole)) "" (not (empty $whole)) -}}
  {{- fail (printf "workers.%s has no role; set it to aggregated, prefill or decode%s" . $others) -}}
{{- end -}}
{{- end -}}

{{- define "gpt-oss.guardRoles" -}}
{{- $roles := dict -}}
{{- range $name, $worker := .Values.workers -}}
  {{- with $worker -}}{{- $_ := set $roles .role $name -}}{{- end -}}
{{- end -}}
{{- if and (hasKey $roles "prefill") (not (hasKey $roles "decode")) -}}
  {{- fail (printf "workers.%s has role prefill, but no worker has role decode; add one" $roles.prefill) -}}
{{- end -}}
{{- if and (hasKey $roles "decode") (not (hasKey $roles "prefill")) -}}
  {{- fail (printf "workers.%s has role decode, but no worker has role prefill; add one" $roles.decode) -}}
{{- end -}}
{{- if and (hasKey $roles "aggregated") (gt (len $roles) 1) -}}
  {{- fail (printf "workers.%s has role aggregated beside prefill and decode workers; keep one kind of serving" $roles.aggregated) -}}
{{- end -}}
{{- end -}}

{{/* Further components stand beside the chart's own and may not be called as they are. */}}
{{- define "gpt-oss.guardComponents" -}}
{{- range $name, $component := .Values.components -}}
  {{- $own := eq $name "frontend" -}}
  {{- range $.plan.workers -}}{{- $own = or $own (eq .name $name) -}}{{- end -}}
  {{- if $own -}}
    {{- fail (printf "components.%s: the chart makes a component of that name; set its fields under %s.component, or call this one otherwise" $name (ternary "frontend" (printf "workers.%s" $name) (eq $name "frontend"))) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Labels that the chart selects by are its own. */}}
{{- define "gpt-oss.guardLabels" -}}
{{- $pods := dict "frontend" .Values.frontend "modelCache.download" .Values.modelCache.download "prefetch" .Values.prefetch "benchmark" .Values.benchmark "accuracy" .Values.accuracy "tests" .Values.tests -}}
{{- range .plan.workers -}}{{- $_ := set $pods (printf "workers.%s" .name) .options -}}{{- end -}}
{{- $_ := set $pods "global" (dict "podLabels" (.Values.global.labels | default dict)) -}}
{{- range $where, $options := $pods -}}
  {{- range $label := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" "app.kubernetes.io/managed-by" "helm.sh/chart" -}}
    {{- if hasKey $options.podLabels $label -}}
      {{- fail (printf "%s.%s: the chart sets %s and selects by it; use another label" $where (ternary "labels" "podLabels" (eq $where "global")) $label) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- end -}}
