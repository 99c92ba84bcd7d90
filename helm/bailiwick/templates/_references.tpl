{{/*
Servers and secrets that an installation names and the chart does not create: database, broker, mail
server, secrets. An evaluation adds those that are not named.
*/}}

{{/*
(dict "root" $ "reference" a value with existingSecret): the Secret's name, empty if none is set.
*/}}
{{- define "bailiwick.secretName" -}}
{{- $evaluation := .root.Values.evaluation.enabled | ternary (include "bailiwick.evaluation.secretName" .root) "" -}}
{{- coalesce .reference.existingSecret .root.Values.secrets.existingSecret $evaluation -}}
{{- end -}}

{{- define "bailiwick.usesOwnBroker" -}}
{{- with .Values.evaluation -}}{{- if and .enabled (not $.Values.nats.url) (not $.Values.nats.existingSecret) -}}true{{- end -}}{{- end -}}
{{- end -}}

{{- define "bailiwick.usesInbox" -}}
{{- with .Values.evaluation -}}{{- if and .enabled (not $.Values.mail.smtpUrl) (not $.Values.mail.existingSecret) -}}true{{- end -}}{{- end -}}
{{- end -}}

{{/*
(dict "root" $ "service" "migrate" bool): {secret, key, shared, included} of a service's database:
its own, or the shared one. The migrations use a login of their own if one is set. `included` means
the evaluation's database.
*/}}
{{- define "bailiwick.database" -}}
{{- $all := .root.Values.database -}}
{{- $own := index $all.services .service | default dict -}}
{{- $evaluation := dict "existingSecret" (include "bailiwick.evaluation.secretName" .root) "key" "database-url" "included" .root.Values.evaluation.enabled -}}
{{- $candidates := list $own $all $evaluation -}}
{{- if .migrate -}}
{{- $candidates = list ($own.migrations | default dict) $own ($all.migrations | default dict) $all $evaluation -}}
{{- end -}}
{{- $found := dict -}}
{{- range $candidates -}}
{{- if and .existingSecret (not $found) -}}{{- $found = . -}}{{- end -}}
{{- end -}}
{{- $isOwn := or $own.existingSecret (and .migrate (dig "migrations" "existingSecret" "" $own)) -}}
{secret: {{ $found.existingSecret | quote }}, key: {{ $found.key | quote }}, shared: {{ empty $isOwn }}, included: {{ default false $found.included }}}
{{- end -}}

{{/*
(dict "root" $ "service"): the same of a service's replica. A service with a database of its own has
only a replica of its own. The secret is empty without a replica.
*/}}
{{- define "bailiwick.replica" -}}
{{- $all := .root.Values.database -}}
{{- $own := index $all.services .service | default dict -}}
{{- $replica := $own.replica | default dict -}}
{{- $isShared := and (empty $replica.existingSecret) (empty $own.existingSecret) -}}
{{- if $isShared -}}{{- $replica = $all.replica | default dict -}}{{- end -}}
{secret: {{ $replica.existingSecret | default "" | quote }}, key: {{ $replica.key | default "url" | quote }}, shared: {{ $isShared }}, included: false}
{{- end -}}

{{/*
(dict "root" $ "process" name): the databases of the process's services, and their replicas: setting →
the variable and the file that name it, and the fields of "bailiwick.database". A process with one
service has one file for each.
*/}}
{{- define "bailiwick.ownDatabases" -}}
{{- $context := . -}}
{{- range $name, $setting := index (include "bailiwick.settings" .root | fromYaml) .process }}
{{- range $suffix, $define := dict "DatabaseUrl" "bailiwick.database" "DatabaseReadUrl" "bailiwick.replica" }}
{{- if hasSuffix $suffix (title $name) }}
{{- $isOnly := eq $name (untitle $suffix) }}
{{- $service := $isOnly | ternary $context.process (trimSuffix $suffix $name) }}
{{- $database := include $define (dict "root" $context.root "service" $service "migrate" false) | fromYaml }}
{{- $file := or $isOnly $database.shared | ternary $suffix (printf "%s%s" $service $suffix) | kebabcase }}
{{- if $database.secret }}
{{ $name }}: {{ merge (dict "variable" (ternary $setting.orElse $setting.env $database.shared) "file" $file) $database | toJson }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
(dict "root" $ "process" name): the databases that a pod of the process connects to, including those
of its migrations.
*/}}
{{- define "bailiwick.databases" -}}
{{- with include "bailiwick.ownDatabases" . | fromYaml }}
{{- range . }}
- {{ toJson . }}
{{- end }}
{{- if eq $.root.Values.migrations.mode "initContainer" }}
{{- include "bailiwick.migrationsUrls" $.root }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A list of databases as above: whether it contains the evaluation's. */}}
{{- define "bailiwick.hasIncluded" -}}
{{- range . }}{{ if .included }}true{{ end }}{{ end -}}
{{- end -}}

{{- define "bailiwick.usesOwnDatabase" -}}
{{- include "bailiwick.hasIncluded" (include "bailiwick.migrationsUrls" . | fromYamlArray) -}}
{{- end -}}

{{- define "bailiwick.natsUrl" -}}
{{- if .Values.nats.existingSecret -}}
{file: /run/bailiwick/nats-url}
{{- else -}}
{value: {{ default (printf "nats://%s:4222" (include "bailiwick.host" (dict "root" . "component" "nats"))) .Values.nats.url | quote }}}
{{- end -}}
{{- end -}}

{{- define "bailiwick.smtpUrl" -}}
{{- if .Values.mail.existingSecret -}}
{file: /run/bailiwick/smtp-url}
{{- else -}}
{value: {{ default (printf "smtp://%s:1025" (include "bailiwick.host" (dict "root" . "component" "inbox"))) .Values.mail.smtpUrl | quote }}}
{{- end -}}
{{- end -}}

{{- define "bailiwick.egressProxyUrl" -}}
{{- if .Values.egress.existingSecret -}}
{file: /run/bailiwick/egress-proxy-url}
{{- else -}}
{value: {{ .Values.egress.proxyUrl | quote }}}
{{- end -}}
{{- end -}}

{{- define "bailiwick.mailFrom" -}}
{{- default "Bailiwick <no-reply@bailiwick.localhost>" .Values.mail.from -}}
{{- end -}}

{{/*
The installation's id. Migrations that run elsewhere may not know the chart's, so without a value the
pods take the id in the database.
*/}}
{{- define "bailiwick.installationId" -}}
{{- $default := printf "%s.%s" .Release.Namespace (include "bailiwick.fullname" .) -}}
{{- default (eq .Values.migrations.mode "external" | ternary "" $default) .Values.installationId -}}
{{- end -}}

{{/* Without publicUrl, an evaluation is reached through `kubectl port-forward`. */}}
{{- define "bailiwick.publicUrl" -}}
{{- default "http://localhost:8080" .Values.publicUrl -}}
{{- end -}}

{{/* host:port of the servers' monitoring, which KEDA reads; empty if it is not known. */}}
{{- define "bailiwick.natsMonitoring" -}}
{{- if .Values.nats.monitoring -}}
{{ .Values.nats.monitoring }}
{{- else if include "bailiwick.usesOwnBroker" . -}}
{{ include "bailiwick.host" (dict "root" . "component" "nats") }}:8222
{{- end -}}
{{- end -}}
