{{/*
The migrations: what a Job of its own or an init container of each pod runs. The advisory lock of each schema lets them run at once.
*/}}
{{- define "bailiwick.migrationsContainer" -}}
{{- $root := . -}}
command: [node, deploy/migrate.ts]
env:
  {{- include "bailiwick.migrationsDatabases" . | fromYaml | values | sortAlpha | uniq | join "\n" | nindent 2 }}
  {{- if .Values.tls.trust.existingSecret }}
  - {name: NODE_EXTRA_CA_CERTS, value: /run/migrations/trust.crt}
  {{- end }}
volumeMounts:
  - {name: migrations, mountPath: /run/migrations, readOnly: true}
resources:
  {{- toYaml .Values.migrations.resources | nindent 2 }}
{{- end -}}

{{/* service → the entry of the environment that names its database. Those that share one have the same entry. */}}
{{- define "bailiwick.migrationsDatabases" -}}
{{- $root := . -}}
{{- range $service, $setting := (include "bailiwick.settings" . | fromYaml).migrate }}
{{- $database := include "bailiwick.database" (dict "root" $root "service" $service "migrate" true) | fromYaml }}
{{- $variable := $database.shared | ternary $setting.orElse $setting.env }}
{{ $service }}: {{ printf "- {name: %s_FILE, value: /run/migrations/%sdatabase-url}" $variable ($database.shared | ternary "" (printf "%s-" $service)) | quote }}
{{- end }}
{{- end -}}

{{/* The volume with the logins. */}}
{{- define "bailiwick.migrationsVolume" -}}
{{- $root := . -}}
{{- $sources := "" -}}
{{- range $service, $setting := (include "bailiwick.settings" . | fromYaml).migrate }}
{{- $database := include "bailiwick.database" (dict "root" $root "service" $service "migrate" true) | fromYaml }}
{{- $source := include "bailiwick.file" (dict "secret" $database.secret "key" $database.key "path" (printf "%sdatabase-url" ($database.shared | ternary "" (printf "%s-" $service)))) }}
{{- if not (contains $source $sources) }}{{- $sources = print $sources $source }}{{- end }}
{{- end -}}
name: migrations
projected:
  defaultMode: 0440
  sources:
    {{- $sources | nindent 4 }}
    {{- include "bailiwick.trustFile" . | nindent 4 }}
{{- end -}}

{{/* $: the pod of the Job. */}}
{{- define "bailiwick.migrationsPod" -}}
{{- $own := omit .Values.migrations "mode" "backoffLimit" }}
{{- $values := mustMergeOverwrite (deepCopy .Values.defaults) (deepCopy $own) }}
{{- include "bailiwick.podTemplate" (dict
      "root" .
      "component" "migrations"
      "account" "default"
      "values" (omit $values "topologySpread" "topologySpreadConstraints")
      "container" (include "bailiwick.migrationsContainer" . | fromYaml)
      "volumes" (list (include "bailiwick.migrationsVolume" . | fromYaml))
      "restart" "Never"
    ) }}
{{- end -}}
