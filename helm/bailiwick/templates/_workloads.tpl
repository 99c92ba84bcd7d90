{{/*
What runs: workload → the process whose settings it reads, its script, whether it is called (a Service), and whether by other processes
(gRPC too). Delivery and mail are workloads of their own, so that each is scaled by its own queue.
*/}}
{{- define "bailiwick.workloads" -}}
gateway: {process: gateway, script: gateway/main.ts, called: true}
identity: {process: identity, script: services/identity/main.ts, called: true, grpc: true}
access: {process: access, script: services/access/main.ts, called: true, grpc: true}
sso: {process: sso, script: services/sso/main.ts, called: true, grpc: true}
notifications-api: {process: notifications, script: services/notifications/main.ts, called: true, grpc: true, roles: api}
notifications-delivery: {process: notifications, script: services/notifications/main.ts, called: false, roles: "fanout,delivery"}
notifications-email: {process: notifications, script: services/notifications/main.ts, called: false, roles: email}
{{- end -}}

{{/* (dict "root" $ "name" workload): `defaults` with what `services.<name>` says on top, deeply merged. Lists are replaced. */}}
{{- define "bailiwick.workloadValues" -}}
{{- $own := index .root.Values.services .name | default dict -}}
{{- mustMergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own) | toYaml -}}
{{- end -}}

{{/* (dict "root" $ "name" workload "values" its values): the workload's ServiceAccount. */}}
{{- define "bailiwick.account" -}}
{{- if .values.serviceAccount.create -}}
{{ default (printf "%s-%s" (include "bailiwick.fullname" .root) .name) .values.serviceAccount.name }}
{{- else -}}
{{ default "default" .values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "process" name): the ConfigMap with the mail templates of a process that reads them, where there is one. */}}
{{- define "bailiwick.mailTemplates" -}}
{{- if hasKey (index (include "bailiwick.settings" .root | fromYaml) .process) "mailTemplatesDir" -}}
{{- .root.Values.mail.templatesConfigMap -}}
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "name" "workload" its entry above "values"): the container. */}}
{{- define "bailiwick.workloadContainer" -}}
command: {{ concat (list "node") .values.nodeArguments (list .workload.script) | toJson }}
ports:
  - {name: http, containerPort: 8080}
  {{- if .workload.grpc }}
  - {name: grpc, containerPort: 8081}
  {{- end }}
  - {name: admin, containerPort: 9464}
env:
  {{- include "bailiwick.environment" (dict "root" .root "process" .workload.process "roles" .workload.roles "values" .values) | nindent 2 }}
  {{- with .values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $files := include "bailiwick.files" (dict "root" .root "process" .workload.process) | fromYamlArray }}
{{- $mailTemplates := include "bailiwick.mailTemplates" (dict "root" .root "process" .workload.process) }}
{{- if or $files $mailTemplates }}
volumeMounts:
  {{- if $files }}
  - {name: secrets, mountPath: /run/bailiwick, readOnly: true}
  {{- end }}
  {{- if $mailTemplates }}
  - {name: mail-templates, mountPath: /run/mail-templates, readOnly: true}
  {{- end }}
{{- end }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
{{- /* Ready once the schema fits and the broker is there: a first start may have to wait for the migrations. */}}
startupProbe: {httpGet: {path: /startupz, port: admin}, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 150}
readinessProbe: {httpGet: {path: /readyz, port: admin}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2}
livenessProbe: {httpGet: {path: /livez, port: admin}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
{{- end -}}
