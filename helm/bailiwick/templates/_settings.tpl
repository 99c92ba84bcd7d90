{{/*
The environment of a process, rendered from the same tables the processes read: files/settings.yaml is generated from
deploy/settings.ts. A setting's value comes from "bailiwick.wiring" where the cluster decides it, else from
`config.<name>`, else from the process's own default.
*/}}
{{- define "bailiwick.settings" -}}
{{ .Files.Get "files/settings.yaml" }}
{{- end -}}

{{/* (dict "root" $ "process" name "roles" "values"): the env list of a container. */}}
{{- define "bailiwick.environment" -}}
{{- $context := . -}}
{{- $wiring := include "bailiwick.wiring" . | fromYaml -}}
{{- $config := mustMergeOverwrite (include "bailiwick.config" .root | fromYaml) (deepCopy (default dict .values.config)) -}}
{{- range $name, $setting := index (include "bailiwick.settings" .root | fromYaml) .process -}}
{{- if hasKey $wiring $name }}
- {{ merge (dict "name" $setting.env) (index $wiring $name) | toJson }}
{{- else if eq $name "databaseUrl" }}
- {{ include "bailiwick.databaseVariable" (dict "root" $context.root "service" $context.process "setting" $setting "migrate" false) }}
{{- else if hasKey $config $name }}
- {{ dict "name" $setting.env "value" (include "bailiwick.text" (dict "kind" $setting.kind "value" (index $config $name))) | toJson }}
{{- else if $setting.required -}}
{{- fail (printf "the chart has no value for %s, which %s requires: _settings.tpl, \"bailiwick.wiring\"" $setting.env $context.process) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What the cluster decides: setting → the rest of its env entry. Every process takes of it what it reads. */}}
{{- define "bailiwick.wiring" -}}
{{- $root := .root -}}
port: {value: "8080"}
adminPort: {value: "9464"}
preDrainMs: {value: {{ mul 1000 (int .values.preDrainSeconds) | quote }}}
publicUrl: {value: {{ include "bailiwick.publicUrl" $root | quote }}}
{{- range $name := list "identity" "access" "sso" "notifications" }}
{{- $component := eq $name "notifications" | ternary "notifications-api" $name }}
{{ $name }}Url: {value: {{ include "bailiwick.peerUrl" (dict "root" $root "component" $component) | quote }}}
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
smtpUrl: {{ include "bailiwick.smtpUrl" $root }}
mailFrom: {value: {{ include "bailiwick.mailFrom" $root | quote }}}
egressProxyUrl: {{ include "bailiwick.egressProxyUrl" $root }}
mailTemplatesDir: {value: {{ $root.Values.mail.templatesConfigMap | empty | ternary "" "/run/mail-templates" | quote }}}
{{- with .roles }}
roles: {value: {{ . | quote }}}
{{- end }}
{{- end -}}

{{/*
(dict "root" $ "component" name): where other processes call it. HTTP goes through the Service's one address; gRPC balances each call
over the addresses of all pods, which the headless Service gives.
*/}}
{{- define "bailiwick.peerUrl" -}}
{{- if eq .root.Values.rpc.mode "grpc" -}}
dns:///{{ include "bailiwick.host" (dict "root" .root "component" (printf "%s-grpc" .component)) }}:8081
{{- else -}}
http://{{ include "bailiwick.host" . }}:8080
{{- end -}}
{{- end -}}

{{/* `config`, and in an evaluation a guard that lets webhooks reach the inbox. */}}
{{- define "bailiwick.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- if and .Values.evaluation.enabled (not (hasKey $config "egressAllowHosts")) -}}
{{- $_ := set $config "egressAllowHosts" (list (include "bailiwick.host" (dict "root" . "component" "inbox"))) -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{/* (dict "kind" "value"): as it stands in the environment. Numbers from --set are floats, which would print as 1e+06. */}}
{{- define "bailiwick.text" -}}
{{- if eq .kind "list" -}}
{{- join "," .value -}}
{{- else if eq .kind "int" -}}
{{- int64 .value -}}
{{- else -}}
{{- .value -}}
{{- end -}}
{{- end -}}

{{/*
(dict "root" $ "process" name): the sources of a process's volume of secrets, mounted at /run/bailiwick. A pod gets the files its
process reads, and of the private keys its own only.
*/}}
{{- define "bailiwick.files" -}}
{{- $root := .root -}}
{{- $process := .process -}}
{{- $tables := include "bailiwick.settings" $root | fromYaml -}}
{{- $secrets := $root.Values.secrets -}}
{{- $settings := index $tables $process -}}
{{- $single := dict "keyRing" "key-ring" "platformKey" "platform-key" "workerToken" "worker-token" -}}
{{- range $name, $path := $single }}
{{- if hasKey $settings $name }}
{{- $reference := index $secrets $name }}
- secret:
    name: {{ include "bailiwick.secretName" (dict "root" $root "reference" $reference) }}
    items: [{key: {{ $reference.key }}, path: {{ $path }}}]
{{- end }}
{{- end }}
{{- if hasKey $settings "vaultToken" }}
{{- range $path, $reference := dict "vault-token" $root.Values.vault.token "vault-ca" $root.Values.vault.ca }}
{{- with $reference.existingSecret }}
- secret:
    name: {{ . }}
    items: [{key: {{ $reference.key }}, path: {{ $path }}}]
{{- end }}
{{- end }}
{{- if $root.Values.config.vaultKubernetesRole }}
- serviceAccountToken: {path: vault-jwt, expirationSeconds: 3600}
{{- end }}
{{- end }}
{{- if hasKey $settings "callerKey" }}
- secret:
    name: {{ include "bailiwick.secretName" (dict "root" $root "reference" $secrets.callerKeys) }}
    items: [{key: {{ $process }}.key, path: caller.key}]
{{- end }}
{{- if hasKey $settings "callerPublicKeys" }}
{{- /* Item by item: the same Secret may hold the private keys. */}}
- secret:
    name: {{ include "bailiwick.secretName" (dict "root" $root "reference" $secrets.callerPublicKeys) }}
    items:
      {{- range include "bailiwick.callers" $root | fromYamlArray }}
      - {key: {{ . }}.pub, path: callers/{{ . }}.pub}
      {{- end }}
{{- end }}
{{- end -}}

{{/* The processes that call services: those that have a key to sign with. */}}
{{- define "bailiwick.callers" -}}
{{- range $process, $settings := include "bailiwick.settings" . | fromYaml }}
{{- if hasKey $settings "callerKey" }}
- {{ $process }}
{{- end }}
{{- end }}
{{- end -}}
