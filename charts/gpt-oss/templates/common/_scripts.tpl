{{/* Scripts that pods run, from one ConfigMap. */}}

{{- define "gpt-oss.scriptsVolume" -}}
- name: scripts
  configMap:
    name: {{ .plan.name }}-scripts
{{- end -}}

{{/* Checksum of the scripts that a pod runs, so that it follows their content and no other's.
     Takes root and scripts (names). */}}
{{- define "gpt-oss.scriptsChecksum" -}}
{{- $contents := list -}}
{{- range .scripts -}}
  {{- $contents = append $contents ($.root.Files.Get (printf "files/%s" .)) -}}
{{- end -}}
{{- join "\n" $contents | sha256sum -}}
{{- end -}}
