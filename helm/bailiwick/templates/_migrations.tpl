{{/*
The migrations, which run in a Job of their own or in an init container of each pod. The advisory
lock of each schema makes concurrent runs safe.
*/}}
{{/* (dict "root" $ "values" of the pod it runs in) */}}
{{- define "bailiwick.migrationsContainer" -}}
command: {{ concat (list "node") .values.nodeArguments (list "deploy/migrate.ts") | toJson }}
env:
  {{- range include "bailiwick.migrationsUrls" .root | fromYamlArray }}
  - {name: {{ .name }}, value: /run/migrations/{{ .secret }}/{{ .key }}}
  {{- end }}
  - {name: {{ (include "bailiwick.settings" .root | fromYaml).migrate.waitSeconds.env }}, value: "180"}
  - {name: {{ (include "bailiwick.settings" .root | fromYaml).migrate.installationId.env }}, value: {{ include "bailiwick.installationId" .root | quote }}}
  {{- if .root.Values.tls.trust.existingSecret }}
  - {name: NODE_EXTRA_CA_CERTS, value: /run/migrations/trust.crt}
  {{- end }}
  {{- with .values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumeMounts:
  - {name: migrations, mountPath: /run/migrations, readOnly: true}
  {{- with .values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
resources:
  {{- toYaml .root.Values.migrations.resources | nindent 2 }}
{{- end -}}

{{/*
$: a list of {name, secret, key, included}: the variables that name the databases, with the logins
of the migrations and of the services.
*/}}
{{- define "bailiwick.migrationsUrls" -}}
{{- $root := . -}}
{{- $settings := (include "bailiwick.settings" . | fromYaml).migrate -}}
{{- range $service := list "identity" "access" "sso" "notifications" }}
{{- range $setting, $migrate := dict $service true (printf "%sLogin" $service) false }}
{{- $database := include "bailiwick.database" (dict "root" $root "service" $service "migrate" $migrate) | fromYaml }}
- {name: {{ (index $settings $setting).env }}_FILE, secret: {{ $database.secret | quote }}, key: {{ $database.key | quote }}, included: {{ $database.included }}}
{{- end }}
{{- end }}
{{- end -}}

{{/* The volume with the logins. A login that several variables name is mounted once. */}}
{{- define "bailiwick.migrationsVolume" -}}
{{- $sources := list -}}
{{- range include "bailiwick.migrationsUrls" . | fromYamlArray }}
{{- $sources = append $sources (include "bailiwick.file" (dict "secret" .secret "key" .key "path" (printf "%s/%s" .secret .key))) }}
{{- end -}}
name: migrations
projected:
  defaultMode: 0440
  sources:
    {{- $sources | uniq | join "" | nindent 4 }}
    {{- include "bailiwick.trustFile" . | nindent 4 }}
{{- end -}}

{{/* $: the pod of the Job. */}}
{{- define "bailiwick.migrationsPod" -}}
{{- $own := omit .Values.migrations "mode" "backoffLimit" }}
{{- /* An empty list would replace the list of `defaults`. */}}
{{- if not $own.tolerations }}{{ $own = omit $own "tolerations" }}{{ end }}
{{- $values := include "bailiwick.overDefaults" (dict "root" . "own" $own) | fromYaml }}
{{- include "bailiwick.podTemplate" (dict
      "root" .
      "component" "migrations"
      "account" "default"
      "values" (omit $values "topologySpread" "topologySpreadConstraints")
      "container" (include "bailiwick.migrationsContainer" (dict "root" . "values" $values) | fromYaml)
      "volumes" (prepend $values.extraVolumes (include "bailiwick.migrationsVolume" . | fromYaml))
      "restart" "Never"
    ) }}
{{- end -}}
