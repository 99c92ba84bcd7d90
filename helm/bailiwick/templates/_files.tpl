{{/*
Mounted files: secrets and certificates below /run/bailiwick, in one projected volume, so that the
kubelet replaces related files together. A pod gets the files that its process reads, and only its
own private key.
*/}}

{{/* (dict "root" $ "name" workload "process" name "values" the workload's): all volumes of a process. */}}
{{- define "bailiwick.volumes" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- include "bailiwick.files" . | nindent 6 }}
{{- with include "bailiwick.mailTemplates" . }}
- {name: mail-templates, configMap: {name: {{ . | quote }}}}
{{- end }}
{{- with include "bailiwick.brand" . }}
- {name: brand, configMap: {name: {{ . | quote }}}}
{{- end }}
{{- with include "bailiwick.breachedPasswords" . }}
- {name: breached-passwords, persistentVolumeClaim: {claimName: {{ . | quote }}, readOnly: true}}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "process" name): the mounts in its container. */}}
{{- define "bailiwick.mounts" -}}
- {name: secrets, mountPath: /run/bailiwick, readOnly: true}
{{- if include "bailiwick.mailTemplates" . }}
- {name: mail-templates, mountPath: /run/mail-templates, readOnly: true}
{{- end }}
{{- if include "bailiwick.brand" . }}
- {name: brand, mountPath: /run/brand, readOnly: true}
{{- end }}
{{- if include "bailiwick.breachedPasswords" . }}
- {name: breached-passwords, mountPath: /run/breached-passwords, readOnly: true}
{{- end }}
{{- end -}}

{{/*
(dict "root" $ "process" name): the ConfigMap with the mail templates, if the process reads them and
there is one.
*/}}
{{- define "bailiwick.mailTemplates" -}}
{{- if include "bailiwick.hasSetting" (dict "root" .root "process" .process "setting" "mailTemplatesDir") -}}
{{- .root.Values.mail.templatesConfigMap -}}
{{- end -}}
{{- end -}}

{{/* The same arguments: the ConfigMap with the logo, if the process reads it and there is one. */}}
{{- define "bailiwick.brand" -}}
{{- if include "bailiwick.hasSetting" (dict "root" .root "process" .process "setting" "brandLogo") -}}
{{- .root.Values.brand.configMap -}}
{{- end -}}
{{- end -}}

{{/* The same arguments: the claim with the breached passwords, if the process reads them. */}}
{{- define "bailiwick.breachedPasswords" -}}
{{- if include "bailiwick.hasSetting" (dict "root" .root "process" .process "setting" "breachedPasswords") -}}
{{- .root.Values.breachedPasswords.existingClaim -}}
{{- end -}}
{{- end -}}

{{/* The same arguments: the sources of the volume. */}}
{{- define "bailiwick.files" -}}
{{- $root := .root -}}
{{- $process := .process -}}
{{- $secrets := $root.Values.secrets -}}
{{- $settings := index (include "bailiwick.settings" $root | fromYaml) $process -}}
{{- $context := merge (dict "settings" $settings) . -}}
{{- include "bailiwick.urlFiles" $context }}
{{- range $name, $path := dict "keyRing" "key-ring" "platformKey" "platform-key" "workerToken" "worker-token" }}
{{- if hasKey $settings $name }}
{{- $reference := index $secrets $name }}
{{- include "bailiwick.file" (dict "secret" (include "bailiwick.secretName" (dict "root" $root "reference" $reference)) "key" $reference.key "path" $path) }}
{{- end }}
{{- end }}
{{- if hasKey $settings "vaultToken" }}
{{- range $path, $reference := dict "vault-token" $root.Values.vault.token "vault-ca" $root.Values.vault.ca }}
{{- with $reference.existingSecret }}
{{- include "bailiwick.file" (dict "secret" . "key" $reference.key "path" $path) }}
{{- end }}
{{- end }}
{{- if (include "bailiwick.config" . | fromYaml).vaultKubernetesRole }}
- serviceAccountToken: {path: vault-jwt, expirationSeconds: 3600}
{{- end }}
{{- end }}
{{- if hasKey $settings "callerKey" }}
{{- $name := include "bailiwick.secretName" (dict "root" $root "reference" $secrets.callerKeys) }}
{{- include "bailiwick.file" (dict "secret" $name "key" (printf "%s.key" (include "bailiwick.signer" .)) "path" "caller.key") }}
{{- end }}
{{- if hasKey $settings "callerPublicKeys" }}
{{- /* Names each item, because the same Secret may hold the private keys. */}}
- secret:
    name: {{ include "bailiwick.secretName" (dict "root" $root "reference" $secrets.callerPublicKeys) | quote }}
    items:
      {{- range include "bailiwick.callers" $root | fromYamlArray }}
      - {key: {{ . }}.pub, path: callers/{{ . }}.pub}
      {{- end }}
{{- end }}
{{- include "bailiwick.trustFile" $root }}
{{- include "bailiwick.certificateFiles" $context }}
{{- end -}}

{{/* (dict "secret" name "key" "path"): one key of a Secret as a file. */}}
{{- define "bailiwick.file" }}
- secret:
    name: {{ .secret | quote }}
    items: [{key: {{ .key | quote }}, path: {{ .path }}}]
{{- end -}}

{{/*
(dict "root" $ "process" "settings"): URLs that contain a password. They are files, because
debuggers show environment variables.
*/}}
{{- define "bailiwick.urlFiles" -}}
{{- $files := list }}
{{- range include "bailiwick.ownDatabases" . | fromYaml }}
{{- $files = append $files (include "bailiwick.file" (dict "secret" .secret "key" .key "path" .file)) }}
{{- end }}
{{- $files | uniq | join "" }}
{{- range $setting, $reference := dict "natsUrl" .root.Values.nats "smtpUrl" .root.Values.mail "egressProxyUrl" .root.Values.egress }}
{{- if and $reference.existingSecret (hasKey $.settings $setting) }}
{{- include "bailiwick.file" (dict "secret" $reference.existingSecret "key" $reference.key "path" ($setting | kebabcase)) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* $: the certificates of the installation's own CAs. */}}
{{- define "bailiwick.trustFile" -}}
{{- with .Values.tls.trust }}
{{- if .existingSecret }}
{{- include "bailiwick.file" (dict "secret" .existingSecret "key" .key "path" "trust.crt") }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
(dict "root" $ "name" workload "settings"): the certificate of a workload, if it has the settings
for one.
*/}}
{{- define "bailiwick.certificateFiles" -}}
{{- if and (hasKey .settings "tlsCert") (ne .root.Values.tls.internal.mode "none") }}
- secret:
    name: {{ include "bailiwick.certificateSecret" . | quote }}
    items:
      {{- range list "tls.crt" "tls.key" "ca.crt" }}
      - {key: {{ . }}, path: tls/{{ . }}}
      {{- end }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "name" workload): the Secret with its certificate. */}}
{{- define "bailiwick.certificateSecret" -}}
{{- $internal := .root.Values.tls.internal -}}
{{- if eq $internal.mode "existing" -}}
{{ default $internal.existingSecret (index $internal.existingSecrets .name) }}
{{- else -}}
{{ include "bailiwick.fullname" .root }}-{{ .name }}-tls
{{- end -}}
{{- end -}}
