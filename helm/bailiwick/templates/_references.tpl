{{/*
What an installation names and does not make: database, broker, mail server, secrets. An evaluation fills in what is not named.
*/}}

{{/* (dict "root" $ "reference" a value with existingSecret): the Secret's name, empty where none is known. */}}
{{- define "bailiwick.secretName" -}}
{{- $evaluation := .root.Values.evaluation.enabled | ternary (printf "%s-evaluation" (include "bailiwick.fullname" .root)) "" -}}
{{- coalesce .reference.existingSecret .root.Values.secrets.existingSecret $evaluation -}}
{{- end -}}

{{/* (dict "name" Secret "key"): the rest of an env entry. For what is a URL with a password: it is not written into any object of the chart. */}}
{{- define "bailiwick.fromSecret" -}}
{{- dict "valueFrom" (dict "secretKeyRef" (dict "name" .name "key" .key)) | toJson -}}
{{- end -}}

{{- define "bailiwick.usesOwnDatabase" -}}
{{- with .Values.evaluation -}}{{- if and .enabled (not $.Values.database.existingSecret) -}}true{{- end -}}{{- end -}}
{{- end -}}

{{- define "bailiwick.usesOwnBroker" -}}
{{- with .Values.evaluation -}}{{- if and .enabled (not $.Values.nats.url) (not $.Values.nats.existingSecret) -}}true{{- end -}}{{- end -}}
{{- end -}}

{{- define "bailiwick.usesInbox" -}}
{{- with .Values.evaluation -}}{{- if and .enabled (not $.Values.mail.smtpUrl) (not $.Values.mail.existingSecret) -}}true{{- end -}}{{- end -}}
{{- end -}}

{{/*
(dict "root" $ "service" "setting" "migrate" bool): the env entry for a service's database. Its own database under its own variable,
else the one for all under DATABASE_URL. The migrations take their own login where one is named.
*/}}
{{- define "bailiwick.databaseVariable" -}}
{{- $all := .root.Values.database -}}
{{- $own := index $all.services .service | default dict -}}
{{- $variable := .setting.env -}}
{{- $reference := dict -}}
{{- if and .migrate (dig "migrations" "existingSecret" "" $own) -}}
{{- $reference = $own.migrations -}}
{{- else if $own.existingSecret -}}
{{- $reference = $own -}}
{{- else -}}
{{- $variable = .setting.orElse -}}
{{- if and .migrate $all.migrations.existingSecret -}}
{{- $reference = $all.migrations -}}
{{- else if $all.existingSecret -}}
{{- $reference = $all -}}
{{- else -}}
{{- $reference = dict "existingSecret" (printf "%s-evaluation" (include "bailiwick.fullname" .root)) "key" "database-url" -}}
{{- end -}}
{{- end -}}
{{- merge (dict "name" $variable) (include "bailiwick.fromSecret" (dict "name" $reference.existingSecret "key" (default "url" $reference.key)) | fromJson) | toJson -}}
{{- end -}}

{{- define "bailiwick.natsUrl" -}}
{{- if .Values.nats.existingSecret -}}
{{ include "bailiwick.fromSecret" (dict "name" .Values.nats.existingSecret "key" .Values.nats.key) }}
{{- else if .Values.nats.url -}}
{{ dict "value" .Values.nats.url | toJson }}
{{- else -}}
{{ dict "value" (printf "nats://%s:4222" (include "bailiwick.host" (dict "root" . "component" "nats"))) | toJson }}
{{- end -}}
{{- end -}}

{{- define "bailiwick.smtpUrl" -}}
{{- if .Values.mail.existingSecret -}}
{{ include "bailiwick.fromSecret" (dict "name" .Values.mail.existingSecret "key" .Values.mail.key) }}
{{- else if .Values.mail.smtpUrl -}}
{{ dict "value" .Values.mail.smtpUrl | toJson }}
{{- else -}}
{{ dict "value" (printf "smtp://%s:1025" (include "bailiwick.host" (dict "root" . "component" "inbox"))) | toJson }}
{{- end -}}
{{- end -}}

{{- define "bailiwick.egressProxyUrl" -}}
{{- if .Values.egress.existingSecret -}}
{{ include "bailiwick.fromSecret" (dict "name" .Values.egress.existingSecret "key" .Values.egress.key) }}
{{- else -}}
{{ dict "value" .Values.egress.proxyUrl | toJson }}
{{- end -}}
{{- end -}}

{{- define "bailiwick.mailFrom" -}}
{{- default "Bailiwick <no-reply@bailiwick.localhost>" .Values.mail.from -}}
{{- end -}}

{{/* An evaluation is reached through `kubectl port-forward`. */}}
{{- define "bailiwick.publicUrl" -}}
{{- default "http://localhost:8080" .Values.publicUrl -}}
{{- end -}}

{{/* Stops the rendering, with everything that is missing or cannot work in one message. */}}
{{- define "bailiwick.assertValues" -}}
{{- $problems := concat (include "bailiwick.missing" . | fromYamlArray) (include "bailiwick.contradictions" . | fromYamlArray) -}}
{{- if $problems -}}
{{- fail (printf "\n\nthe values do not hold:\n  - %s\n\nTo try Bailiwick out, everything included: --set evaluation.enabled=true\n" (join "\n  - " $problems)) -}}
{{- end -}}
{{- end -}}

{{- define "bailiwick.missing" -}}
{{- if not .Values.evaluation.enabled -}}
{{- $without := list -}}
{{- range $service, $own := .Values.database.services -}}
{{- if not (or $.Values.database.existingSecret $own.existingSecret) -}}{{- $without = append $without $service -}}{{- end -}}
{{- end -}}
{{- with $without }}
- "database.existingSecret: the Secret with the URL of the PostgreSQL database (for {{ join ", " . }})"
{{- end }}
{{- if not (or .Values.nats.url .Values.nats.existingSecret) }}
- "nats.url or nats.existingSecret: the NATS server with JetStream"
{{- end }}
{{- if not (or .Values.mail.smtpUrl .Values.mail.existingSecret) }}
- "mail.smtpUrl or mail.existingSecret: the mail server"
{{- end }}
{{- if not .Values.mail.from }}
- "mail.from: the sender of all mails"
{{- end }}
{{- if not .Values.publicUrl }}
- "publicUrl: the address clients reach the gateway at"
{{- end }}
{{- $unnamed := list -}}
{{- range $name, $reference := omit .Values.secrets "existingSecret" -}}
{{- if not (or $.Values.secrets.existingSecret $reference.existingSecret) -}}{{- $unnamed = append $unnamed $name -}}{{- end -}}
{{- end -}}
{{- with $unnamed }}
- "secrets.existingSecret: the Secret with {{ join ", " . }} (each may have one of its own)"
{{- end }}
{{- end }}
{{- end -}}

{{- define "bailiwick.contradictions" -}}
{{- $root := . -}}
{{- range $name, $workload := include "bailiwick.workloads" . | fromYaml }}
{{- $values := include "bailiwick.workloadValues" (dict "root" $root "name" $name) | fromYaml }}
{{- /* 25 s for the calls in flight, 5 s to let go of database and broker. */}}
{{- if gt (add 30 (int $values.preDrainSeconds)) (int $values.terminationGracePeriodSeconds) }}
- "services.{{ $name }}: terminationGracePeriodSeconds must be at least preDrainSeconds + 30, or calls in flight are cut off"
{{- end }}
{{- end }}
{{- end -}}
