{{/*
Connections between pods. The connections between the processes follow from their settings: a
process with the address of another one calls it. Database, broker and DNS follow from the settings
that name them, and the rest from the table of workloads.
*/}}

{{/* (dict "root" $ "components" list): the release's pods of those components, as peers. */}}
{{- define "bailiwick.pods" -}}
{{- range .components }}
- podSelector:
    matchLabels:
      {{- include "bailiwick.selectorLabels" (dict "root" $.root "component" .) | nindent 6 }}
{{- end }}
{{- end -}}

{{/* Numbers as ports of a policy. */}}
{{- define "bailiwick.tcpPorts" -}}
{{- range . }}
- {port: {{ int . }}, protocol: TCP}
{{- end }}
{{- end -}}

{{/*
(dict "edge" {to, ports} "url" "usual" list): egress to a server outside. Ports: the edge's own,
else the URL's or its scheme's, else the usual ones.
*/}}
{{- define "bailiwick.outside" -}}
{{- $url := urlParse (default "" .url) -}}
{{- $ofScheme := get (dict "http" "80" "https" "443") $url.scheme -}}
{{- $ofUrl := regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default $ofScheme -}}
{{- $ports := coalesce .edge.ports (compact (list $ofUrl)) .usual }}
- ports:
    {{- include "bailiwick.tcpPorts" $ports | nindent 4 }}
  {{- with .edge.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* (dict "root" $ "component" "ports"): egress to pods of the release. */}}
{{- define "bailiwick.inside" }}
- ports:
    {{- include "bailiwick.tcpPorts" .ports | nindent 4 }}
  to:
    {{- include "bailiwick.pods" (dict "root" .root "components" (list .component)) | nindent 4 }}
{{- end -}}

{{/* Numbers as ports of DNS servers. */}}
{{- define "bailiwick.dnsPorts" -}}
{{- range . }}
- {port: {{ int . }}, protocol: UDP}
- {port: {{ int . }}, protocol: TCP}
{{- end }}
{{- end -}}

{{- define "bailiwick.dnsEdge" -}}
{{- $edge := .Values.networkPolicy.dns }}
- ports:
    {{- include "bailiwick.dnsPorts" $edge.ports | nindent 4 }}
  {{- with $edge.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* address, address:port or [address]:port: egress to a DNS server that the settings name. */}}
{{- define "bailiwick.resolverEdge" -}}
{{- $address := regexReplaceAll "^\\[?([^\\]]+?)\\]?(:[0-9]+)?$" . "${1}" }}
- ports:
    {{- include "bailiwick.dnsPorts" (list (regexFind ":[0-9]+$" . | trimPrefix ":" | default "53")) | nindent 4 }}
  to:
    - ipBlock: {cidr: {{ printf "%s/%s" $address (contains ":" $address | ternary "128" "32") | quote }}}
{{- end -}}

{{/*
(dict "root" $ "databases" list): egress to the evaluation's PostgreSQL, to one outside, or to both.
*/}}
{{- define "bailiwick.databaseEdges" -}}
{{- $places := list }}
{{- range .databases }}{{ $places = append $places .included }}{{ end }}
{{- if has true $places }}
{{- include "bailiwick.inside" (dict "root" .root "component" "postgres" "ports" (list 5432)) }}
{{- end }}
{{- if has false $places }}
{{- include "bailiwick.outside" (dict "edge" .root.Values.networkPolicy.database) }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "name" "workload" its entry): the egress rules of a workload. */}}
{{- define "bailiwick.egressRules" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $edges := $values.networkPolicy -}}
{{- $settings := index (include "bailiwick.settings" $root | fromYaml) .workload.process -}}
{{- $config := include "bailiwick.config" (dict "root" $root "values" (include "bailiwick.workloadValues" . | fromYaml)) | fromYaml -}}
{{- include "bailiwick.dnsEdge" $root }}
{{- $resolvers := hasKey $settings "dnsResolvers" | ternary (default list $config.dnsResolvers) list }}
{{- if hasKey $settings "egressResolver" }}{{- $resolvers = append $resolvers $config.egressResolver }}{{- end }}
{{- range compact $resolvers | uniq }}
{{- include "bailiwick.resolverEdge" . }}
{{- end }}
{{- /*
Both ports in either rpc.mode: while it changes, old pods call on one and new pods on the other.
*/}}
{{- $workloads := include "bailiwick.workloads" $root | fromYaml }}
{{- $callees := list }}
{{- range $peer := list "identity" "access" "sso" "notifications" }}
{{- if hasKey $settings (printf "%sUrl" $peer) }}
{{- $callees = append $callees (include "bailiwick.callee" (dict "root" $root "service" $peer "mode" $.workload.mode)) }}
{{- end }}
{{- end }}
{{- range $callee := uniq $callees }}
{{- $port := include "bailiwick.rpcPort" (index $workloads $callee) }}
{{- include "bailiwick.inside" (dict "root" $root "component" $callee "ports" (list $port 8081)) }}
{{- end }}
{{- include "bailiwick.databaseEdges" (dict "root" $root "databases" (include "bailiwick.databases" (dict "root" $root "process" .workload.process) | fromYamlArray)) }}
{{- if include "bailiwick.usesOwnBroker" $root }}
{{- include "bailiwick.inside" (dict "root" $root "component" "nats" "ports" (list 4222)) }}
{{- else }}
{{- include "bailiwick.outside" (dict "edge" $edges.nats "url" $values.nats.url "usual" (list 4222)) }}
{{- end }}
{{- if has "mail" .workload.reaches }}
{{- if include "bailiwick.usesInbox" $root }}
{{- include "bailiwick.inside" (dict "root" $root "component" "inbox" "ports" (list 1025)) }}
{{- else }}
{{- include "bailiwick.outside" (dict "edge" $edges.mail "url" $values.mail.smtpUrl "usual" (list 25 465 587)) }}
{{- end }}
{{- end }}
{{- if has "receivers" .workload.reaches }}
{{- include "bailiwick.receiverEdges" (dict "root" $root "config" $config) }}
{{- end }}
{{- if and (hasKey $settings "vaultUrl") $config.vaultUrl }}
{{- include "bailiwick.outside" (dict "edge" $edges.vault "url" $config.vaultUrl) }}
{{- end }}
{{- with $values.telemetry.endpoint }}
{{- include "bailiwick.outside" (dict "edge" $edges.telemetry "url" .) }}
{{- end }}
{{- end -}}

{{/*
(dict "root" $ "config" a workload's): egress to addresses that tenants choose. Only public
addresses, as in packages/egress. With an egress proxy, not even those.
*/}}
{{- define "bailiwick.receiverEdges" -}}
{{- $values := .root.Values -}}
{{- $proxy := $values.egress -}}
{{- if or $proxy.proxyUrl $proxy.existingSecret }}
{{- include "bailiwick.outside" (dict "edge" $values.networkPolicy.egressProxy "url" $proxy.proxyUrl "usual" (list 3128)) }}
{{- else }}
{{- $networks := .root.Files.Get "files/networks.yaml" | fromYaml }}
- ports:
    {{- include "bailiwick.tcpPorts" (concat (list 443 8443) (default list .config.egressPorts)) | nindent 4 }}
  to:
    {{- range $networks.public }}
    - ipBlock: {{ toJson . }}
    {{- end }}
{{- with .config.egressAllowCidrs }}
- to:
    {{- range . }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
{{- end }}
{{- with $values.networkPolicy.receivers }}
{{- if .to }}
{{- include "bailiwick.outside" (dict "edge" .) }}
{{- end }}
{{- end }}
{{- if include "bailiwick.usesInbox" .root }}
{{- include "bailiwick.inside" (dict "root" .root "component" "inbox" "ports" (list 8025)) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "setting" name): the workloads whose process reads that setting. */}}
{{- define "bailiwick.readers" -}}
{{- $setting := .setting -}}
{{- $tables := include "bailiwick.settings" .root | fromYaml -}}
{{- range $name, $workload := include "bailiwick.workloads" .root | fromYaml }}
{{- if hasKey (index $tables $workload.process) $setting }}
- {{ $name }}
{{- end }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "workload" an entry): the workloads of its mode that have the address of one of its services. */}}
{{- define "bailiwick.callersOf" -}}
{{- $context := . -}}
{{- $tables := include "bailiwick.settings" .root | fromYaml -}}
{{- range $name, $workload := include "bailiwick.workloads" .root | fromYaml }}
{{- $calls := false }}
{{- range $context.workload.serves }}{{ $calls = or $calls (hasKey (index $tables $workload.process) (printf "%sUrl" .)) }}{{ end }}
{{- if and $calls (eq $workload.mode $context.workload.mode) }}
- {{ $name }}
{{- end }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "name" "workload"): the ingress rules of a workload. */}}
{{- define "bailiwick.ingressRules" -}}
{{- $root := .root -}}
{{- $edges := $root.Values.networkPolicy -}}
- ports:
    {{- include "bailiwick.tcpPorts" (list 9464) | nindent 4 }}
  {{- with $edges.monitoring.from }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- if .workload.entry }}
- ports:
    {{- include "bailiwick.tcpPorts" (list 8080) | nindent 4 }}
  {{- with $edges.gateway.from }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
- ports:
    {{- include "bailiwick.tcpPorts" (list 8080 9464) | nindent 4 }}
  from:
    {{- include "bailiwick.pods" (dict "root" $root "components" (list "test")) | nindent 4 }}
{{- end }}
{{- if .workload.serves }}
- ports:
    {{- include "bailiwick.tcpPorts" (list (include "bailiwick.rpcPort" .workload) 8081) | nindent 4 }}
  from:
    {{- include "bailiwick.pods" (dict "root" $root "components" (include "bailiwick.callersOf" . | fromYamlArray)) | nindent 4 }}
{{- end }}
{{- end -}}

{{/*
The path of the public URL → the metadata whose well-known path precedes it (RFC 8414, section 3.1),
as JSON. Without a path they are below "/".
*/}}
{{- define "bailiwick.metadataPaths" -}}
{{- $path := trimSuffix "/" . -}}
{{- $paths := list -}}
{{- if $path -}}
{{- range list "oauth-authorization-server" "authzen-configuration" -}}
{{- $paths = append $paths (printf "/.well-known/%s%s" . $path) -}}
{{- end -}}
{{- end -}}
{{- $paths | toJson -}}
{{- end -}}
