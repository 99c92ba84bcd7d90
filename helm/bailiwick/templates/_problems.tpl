{{/* Stops the rendering, with all missing and contradictory values in one message. */}}
{{- define "bailiwick.assertValues" -}}
{{- $problems := concat (include "bailiwick.renamed" . | fromYamlArray) (include "bailiwick.missing" . | fromYamlArray) (include "bailiwick.contradictions" . | fromYamlArray) (include "bailiwick.evaluation.problems" . | fromYamlArray) -}}
{{- if $problems -}}
{{- $hint := .Values.evaluation.enabled | ternary "" "\nTo try Bailiwick out, everything included: --set evaluation.enabled=true\n" -}}
{{- fail (printf "\n\ninvalid values:\n  - %s\n%s" (join "\n  - " $problems) $hint) -}}
{{- end -}}
{{- end -}}

{{/*
Renamed values (files/renamed.yaml). The schema accepts the old name, so that this message can state
the new one.
*/}}
{{- define "bailiwick.renamed" -}}
{{- $values := .Values -}}
{{- range $old, $new := .Files.Get "files/renamed.yaml" | fromYaml }}
{{- $place := $values -}}
{{- $found := true -}}
{{- range $part := splitList "." $old -}}
{{- if and $found (kindIs "map" $place) (hasKey $place $part) -}}{{- $place = index $place $part -}}{{- else -}}{{- $found = false -}}{{- end -}}
{{- end -}}
{{- if $found }}
- "{{ $old }} was renamed to {{ $new }}"
{{- end }}
{{- end }}
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
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}
- "httpRoute.parentRefs: the gateways the route belongs to"
{{- end }}
{{- if and (eq .Values.tls.internal.mode "certManager") (not .Values.tls.internal.certManager.issuerRef.name) }}
- "tls.internal.certManager.issuerRef.name: the issuer of the certificates"
{{- end }}
{{- if and .Values.externalSecrets.secrets (not .Values.externalSecrets.storeRef.name) }}
- "externalSecrets.storeRef.name: the store that the secrets come from"
{{- end }}
{{- end -}}

{{- define "bailiwick.contradictions" -}}
{{- $root := . -}}
{{- $annotated := dict -}}
{{- range $name, $workload := include "bailiwick.workloads" . | fromYaml }}
{{- $values := include "bailiwick.workloadValues" (dict "root" $root "name" $name) | fromYaml }}
{{- $settings := index (include "bailiwick.settings" $root | fromYaml) $workload.process }}
{{- range $setting, $value := (index $root.Values.services $name | default dict).config }}
{{- if not (hasKey $settings $setting) }}
- "services.{{ $name }}.config.{{ $setting }}: the process of this workload does not read it"
{{- end }}
{{- end }}
{{- if $values.serviceAccount.create }}
{{- $account := include "bailiwick.account" (dict "root" $root "name" $name "values" $values) }}
{{- range $annotation, $value := $values.serviceAccount.annotations }}
{{- $key := printf "%s %s" $account $annotation }}
{{- $first := get $annotated $key | default (dict "name" $name "value" $value) }}
{{- $_ := set $annotated $key $first }}
{{- if ne (toString $value) (toString $first.value) }}
- "services.{{ $name }}.serviceAccount.annotations.{{ $annotation }}: services.{{ $first.name }} gives it another value, and shares the ServiceAccount {{ $account }}"
{{- end }}
{{- end }}
{{- end }}
{{- /* 25 s for the calls in flight, and 5 s to close the connections to database and broker. */}}
{{- if gt (add 30 (int $values.preDrainSeconds)) (int $values.terminationGracePeriodSeconds) }}
- "services.{{ $name }}: terminationGracePeriodSeconds must be at least preDrainSeconds + 30, or calls in flight are cut off"
{{- end }}
{{- with $values.autoscaling }}
{{- if and .enabled (lt (int .maxReplicas) (int .minReplicas)) }}
- "services.{{ $name }}.autoscaling: maxReplicas must be at least minReplicas"
{{- end }}
{{- if and .enabled (eq .by "queue") (gt (int .fallbackReplicas) (int .maxReplicas)) }}
- "services.{{ $name }}.autoscaling: fallbackReplicas must be at most maxReplicas"
{{- end }}
{{- if and .enabled (eq .by "queue") (not $workload.queues) }}
- "services.{{ $name }}.autoscaling.by: there is no queue for this workload, use cpu"
{{- end }}
{{- if and .enabled (eq .by "queue") $workload.queues (not (include "bailiwick.natsMonitoring" $root)) }}
- "nats.monitoring: host:port of the headless Service of the NATS servers' monitoring, which services.{{ $name }}.autoscaling reads"
{{- end }}
{{- end }}
{{- if and (eq $root.Values.tls.internal.mode "existing") (not (include "bailiwick.certificateSecret" (dict "root" $root "name" $name))) }}
- "tls.internal.existingSecret or tls.internal.existingSecrets.{{ $name }}: the Secret with the certificate"
{{- end }}
{{- end }}
{{- range $group, $url := dict "nats" "url" "mail" "smtpUrl" "egress" "proxyUrl" }}
{{- $values := index $root.Values $group }}
{{- if and (index $values $url) $values.existingSecret }}
- "{{ $group }}.{{ $url }} and {{ $group }}.existingSecret: name one of them, and leave the other empty"
{{- end }}
{{- end }}
{{- if or (eq .Values.mode .Values.movingFrom) (and .Values.movingFrom (has "single" (list .Values.mode .Values.movingFrom))) }}
- "movingFrom: the other one of the modes services and compact, or empty; not {{ .Values.movingFrom }} with mode {{ .Values.mode }}"
{{- end }}
{{- if and .Values.evaluation.enabled (eq .Values.migrations.mode "hook") }}
- "migrations.mode: hook runs before the evaluation's database exists, use job"
{{- end }}
{{- if eq .Values.migrations.mode "hook" }}
{{- $read := list .Values.tls.trust.existingSecret }}
{{- range include "bailiwick.migrationsUrls" . | fromYamlArray }}{{- $read = append $read .secret }}{{- end }}
{{- range compact $read | uniq }}
{{- if hasKey $.Values.externalSecrets.secrets . }}
- "migrations.mode: hook runs before externalSecrets makes the Secret {{ . }}, which it reads; use job, or create that Secret beforehand"
{{- end }}
{{- end }}
{{- end }}
{{- if and (or .Values.ingress.enabled .Values.httpRoute.enabled) (not .Values.publicUrl) }}
- "publicUrl: an Ingress or an HTTPRoute needs its host and its path"
{{- end }}
{{- if and .Values.alerts.enabled (not .Values.monitors.enabled) }}
- "monitors.enabled: the alerts select by labels that the chart's own monitors set, and would fire permanently without them; set it to true"
{{- end }}
{{- if and (eq .Values.config.keyService "vault") (not .Values.config.vaultUrl) }}
- "config.vaultUrl: the URL of Vault"
{{- end }}
{{- end -}}
