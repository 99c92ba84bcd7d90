{{/*
The environment of a process, rendered from the tables that the processes read: files/settings.yaml
is generated from deploy/settings.ts. A setting's value is the one in "bailiwick.wiring" if the
cluster determines it, else `config.<name>`, else the process's default.
*/}}
{{- define "bailiwick.settings" -}}
{{ .Files.Get "files/settings.yaml" }}
{{- end -}}

{{/* (dict "root" $ "process" name "workload" its entry "values"): the env list of a container. */}}
{{- define "bailiwick.environment" -}}
{{- $context := . -}}
{{- $settings := index (include "bailiwick.settings" .root | fromYaml) .process -}}
{{- $wiring := include "bailiwick.wiring" (merge (dict "settings" $settings) .) | fromYaml -}}
{{- $config := include "bailiwick.config" . | fromYaml -}}
{{- $databases := include "bailiwick.ownDatabases" . | fromYaml -}}
{{- $named := list -}}
{{- range $name, $setting := $settings -}}
{{- if hasKey $wiring $name }}
{{- $given := index $wiring $name }}
- {name: {{ $setting.env }}{{ $given.file | empty | ternary "" "_FILE" }}, value: {{ coalesce $given.file $given.value | default "" | quote }}}
{{- else if hasKey $databases $name }}
{{- /* Several services may share a database, and a variable that names it. */}}
{{- $database := index $databases $name }}
{{- if not (has $database.variable $named) }}
- {name: {{ $database.variable }}_FILE, value: /run/bailiwick/{{ $database.file }}}
{{- end }}
{{- $named = append $named $database.variable }}
{{- else if hasKey $config $name }}
- {{ dict "name" $setting.env "value" (include "bailiwick.text" (dict "kind" $setting.kind "value" (index $config $name))) | toJson }}
{{- else if $setting.required -}}
{{- fail (printf "the chart has no value for %s, which %s requires: _settings.tpl, \"bailiwick.wiring\"" $setting.env $context.process) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Settings that the cluster determines: setting → its value, or the file for the variable's _FILE
form. Every process takes the settings that it reads.
*/}}
{{- define "bailiwick.wiring" -}}
{{- $root := .root -}}
{{- $tls := ne $root.Values.tls.internal.mode "none" -}}
port: {value: "8080"}
adminPort: {value: "9464"}
preDrainMs: {value: {{ mul 1000 (int .values.preDrainSeconds) | quote }}}
publicUrl: {value: {{ include "bailiwick.publicUrl" $root | quote }}}
{{- /* A process with services beside the gateway takes their calls at a port of its own. */}}
rpcPort: {value: "8082"}
{{- $scheme := and $tls (hasKey .settings "tlsCert") | ternary "https" "http" }}
{{- range $name := list "identity" "access" "sso" "notifications" }}
{{ $name }}Url: {value: {{ include "bailiwick.peerUrl" (dict "root" $root "service" $name "mode" $.workload.mode "scheme" $scheme) | quote }}}
{{- end }}
rpc: {value: {{ $root.Values.rpc.mode }}}
grpcPort: {value: "8081"}
callerKey: {value: /run/bailiwick/caller.key}
callerPublicKeys: {value: /run/bailiwick/callers}
keyRing: {value: /run/bailiwick/key-ring}
vaultToken: {value: {{ $root.Values.vault.token.existingSecret | empty | ternary "" "/run/bailiwick/vault-token" | quote }}}
vaultCa: {value: {{ $root.Values.vault.ca.existingSecret | empty | ternary "" "/run/bailiwick/vault-ca" | quote }}}
vaultKubernetesJwt: {value: /run/bailiwick/vault-jwt}
platformKey: {value: /run/bailiwick/platform-key}
workerToken: {value: /run/bailiwick/worker-token}
natsUrl: {{ include "bailiwick.natsUrl" $root }}
natsPrefix: {value: {{ $root.Values.nats.prefix | default "" | quote }}}
installationId: {value: {{ include "bailiwick.installationId" $root | quote }}}
smtpUrl: {{ include "bailiwick.smtpUrl" $root }}
mailFrom: {value: {{ include "bailiwick.mailFrom" $root | quote }}}
egressProxyUrl: {{ include "bailiwick.egressProxyUrl" $root }}
brandLogo: {value: {{ and $root.Values.brand.configMap $root.Values.brand.logoKey | empty | ternary "" (printf "/run/brand/%s" $root.Values.brand.logoKey) | quote }}}
brandFavicon: {value: {{ and $root.Values.brand.configMap $root.Values.brand.faviconKey | empty | ternary "" (printf "/run/brand/%s" $root.Values.brand.faviconKey) | quote }}}
breachedPasswords: {value: {{ $root.Values.breachedPasswords.existingClaim | empty | ternary "" (printf "/run/breached-passwords/%s" $root.Values.breachedPasswords.path | trimSuffix "/") | quote }}}
mailTemplatesDir: {value: {{ $root.Values.mail.templatesConfigMap | empty | ternary "" "/run/mail-templates" | quote }}}
{{- range $name, $file := dict "tlsCert" "tls.crt" "tlsKey" "tls.key" "tlsCa" "ca.crt" }}
{{ $name }}: {value: {{ $tls | ternary (printf "/run/bailiwick/tls/%s" $file) "" | quote }}}
{{- end }}
{{- with .workload.roles }}
roles: {value: {{ . | quote }}}
{{- end }}
{{- end -}}

{{/* $: variables of every container, for any program. */}}
{{- define "bailiwick.standardEnvironment" -}}
{{- if .Values.tls.trust.existingSecret }}
- {name: NODE_EXTRA_CA_CERTS, value: /run/bailiwick/trust.crt}
{{- end }}
{{- with .Values.telemetry }}
{{- if .endpoint }}
- {name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ .endpoint | quote }}}
- {name: OTEL_EXPORTER_OTLP_PROTOCOL, value: {{ .protocol }}}
- {name: OTEL_TRACES_SAMPLER, value: parentbased_traceidratio}
- {name: OTEL_TRACES_SAMPLER_ARG, value: {{ .sampleRatio | quote }}}
- {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
- {name: OTEL_RESOURCE_ATTRIBUTES, value: {{ printf "k8s.namespace.name=%s,k8s.pod.name=$(POD_NAME)" $.Release.Namespace | quote }}}
{{- if .headers.existingSecret }}
{{- /* The SDK only reads it from the environment. */}}
- {name: OTEL_EXPORTER_OTLP_HEADERS, valueFrom: {secretKeyRef: {name: {{ .headers.existingSecret | quote }}, key: {{ .headers.key | quote }}}}}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
(dict "root" $ "service" "mode" the caller's "scheme"): the address at which other processes call it. HTTP uses the
Service's single address; gRPC balances each call over the addresses of all pods, which the headless
Service returns.
*/}}
{{- define "bailiwick.peerUrl" -}}
{{- $component := include "bailiwick.callee" . -}}
{{- if eq .root.Values.rpc.mode "grpc" -}}
dns:///{{ include "bailiwick.host" (dict "root" .root "component" (printf "%s-grpc" $component)) }}:8081
{{- else -}}
{{ .scheme }}://{{ include "bailiwick.host" (dict "root" .root "component" $component) }}:8080
{{- end -}}
{{- end -}}

{{/*
(dict "root" $ "service" "mode"): the workload of that mode where a service is called. Each mode calls
its own workloads.
*/}}
{{- define "bailiwick.callee" -}}
{{- $context := . -}}
{{- range $name, $workload := include "bailiwick.workloads" .root | fromYaml -}}
{{- if and (eq $workload.mode $context.mode) (has $context.service $workload.serves) -}}{{ $name }}{{- end -}}
{{- end -}}
{{- end -}}

{{/*
(dict "root" $ "values" a workload's): `config` merged with the workload's own. In an evaluation the
guard allows webhooks to the inbox.
*/}}
{{- define "bailiwick.config" -}}
{{- $config := mustMergeOverwrite (deepCopy .root.Values.config) (deepCopy (default dict .values.config)) -}}
{{- if and .root.Values.evaluation.enabled (not (hasKey $config "egressAllowHosts")) -}}
{{- $_ := set $config "egressAllowHosts" (list (include "bailiwick.host" (dict "root" .root "component" "inbox"))) -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{/*
(dict "kind" "value"): the text for the environment. Numbers from --set are floats, which would
print as 1e+06.
*/}}
{{- define "bailiwick.text" -}}
{{- if eq .kind "list" -}}
{{- join "," .value -}}
{{- else if eq .kind "int" -}}
{{- int64 .value -}}
{{- else -}}
{{- .value -}}
{{- end -}}
{{- end -}}

{{/* (dict "process" name): the name that a process signs its calls with. `serve` calls as the gateway. */}}
{{- define "bailiwick.signer" -}}
{{ eq .process "serve" | ternary "gateway" .process }}
{{- end -}}

{{/* The names that sign calls and therefore have a key. */}}
{{- define "bailiwick.callers" -}}
{{- $signers := list -}}
{{- range $process, $settings := include "bailiwick.settings" . | fromYaml -}}
{{- if hasKey $settings "callerKey" -}}{{- $signers = append $signers (include "bailiwick.signer" (dict "process" $process)) -}}{{- end -}}
{{- end -}}
{{- $signers | uniq | toYaml -}}
{{- end -}}
