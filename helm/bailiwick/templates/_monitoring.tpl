{{- define "bailiwick.monitorMetadata" -}}
{{ include "bailiwick.metadata" (dict "root" . "component" "metrics") }}
  {{- with .Values.monitors.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/*
(dict "root" $ "components" list): the targets of a monitor. The release becomes the label `job` of
every metric.
*/}}
{{- define "bailiwick.monitored" -}}
jobLabel: app.kubernetes.io/instance
namespaceSelector: {matchNames: [{{ .root.Release.Namespace | quote }}]}
selector:
  matchLabels:
    {{- omit (include "bailiwick.selectorLabels" (dict "root" .root "component" "") | fromYaml) "app.kubernetes.io/component" | toYaml | nindent 4 }}
  matchExpressions:
    - {key: app.kubernetes.io/component, operator: In, values: {{ .components | toJson }}}
{{- end -}}
