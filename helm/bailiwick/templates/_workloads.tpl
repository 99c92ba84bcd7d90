{{/*
The workloads of the mode, and, while the release moves, those of the mode that it comes from.
Workload → the process whose settings it reads, its script, whether clients call it (`entry`), the
services that other processes call there (`serves`), what it connects to besides its peers, database
and broker (`reaches`), and its queues. Delivery and mail are separate workloads, so that each is
scaled by its own queue. The API of notifications sends tests and single tasks itself.
*/}}
{{- define "bailiwick.workloads" -}}
{{- $workloads := dict -}}
{{- range compact (list .Values.mode .Values.movingFrom) -}}
{{- $mode := . -}}
{{- range $name, $workload := include (printf "bailiwick.workloads.%s" .) $ | fromYaml -}}
{{- $_ := set $workloads $name (set $workload "mode" $mode) -}}
{{- end -}}
{{- end -}}
{{- toYaml $workloads -}}
{{- end -}}

{{- define "bailiwick.workloads.services" -}}
gateway: {process: gateway, script: gateway/main.ts, entry: true, serves: [], reaches: [], queues: []}
identity: {process: identity, script: services/identity/main.ts, entry: false, serves: [identity], reaches: [], queues: []}
access: {process: access, script: services/access/main.ts, entry: false, serves: [access], reaches: [], queues: []}
sso: {process: sso, script: services/sso/main.ts, entry: false, serves: [sso], reaches: [receivers], queues: []}
notifications-api:
  process: notifications
  script: services/notifications/main.ts
  entry: false
  serves: [notifications]
  roles: api
  reaches: [receivers, mail]
  queues: []
notifications-delivery:
  process: notifications
  script: services/notifications/main.ts
  entry: false
  serves: []
  roles: "fanout,delivery"
  reaches: [receivers]
  queues: {{ include "bailiwick.deliveryQueues" . }}
notifications-email:
  {process: notifications, script: services/notifications/main.ts, entry: false, serves: [], roles: email, reaches: [mail], queues: [TASK/lane-email]}
{{- end -}}

{{- define "bailiwick.workloads.compact" -}}
serve: {process: serve, script: deploy/serve.ts, entry: true, serves: [identity, access, sso], reaches: [receivers], queues: []}
deliver:
  process: notifications
  script: services/notifications/main.ts
  entry: false
  serves: [notifications]
  reaches: [receivers, mail]
  queues: {{ append (include "bailiwick.deliveryQueues" . | fromJsonArray) "TASK/lane-email" | toJson }}
{{- end -}}

{{- define "bailiwick.workloads.single" -}}
gateway: {process: single, script: deploy/single.ts, entry: true, serves: [], reaches: [receivers, mail], queues: []}
{{- end -}}

{{- define "bailiwick.deliveryQueues" -}}
["EVT/fanout", "TASK/lane-webhook", "TASK/lane-chat", "TASK/lane-logout", "TASK/lane-slow", "TASK/lane-replay"]
{{- end -}}

{{/*
(a workload's entry): the port of its internal calls. A workload that clients call too has one of its
own for these.
*/}}
{{- define "bailiwick.rpcPort" -}}
{{ .entry | ternary "8082" "8080" }}
{{- end -}}

{{/* $: the workloads that clients call. */}}
{{- define "bailiwick.entries" -}}
{{- range $name, $workload := include "bailiwick.workloads" . | fromYaml }}
{{- if $workload.entry }}
- {{ $name }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
The label of the pods that clients call, in every mode: while the release moves from one mode to
another, the Service of the gateway selects the pods of both.
*/}}
{{- define "bailiwick.entryLabel" -}}
bailiwick/entry: "true"
{{- end -}}

{{/*
$: what the Service of the gateway selects. A release that has always had a workload gateway keeps
its selector, since pods of an older chart lack the label.
*/}}
{{- define "bailiwick.entrySelector" -}}
{{- if eq (include "bailiwick.entries" . | fromYamlArray | join "") "gateway" -}}
{{ include "bailiwick.selectorLabels" (dict "root" . "component" "gateway") }}
{{- else -}}
{{ omit (include "bailiwick.selectorLabels" (dict "root" . "component" "") | fromYaml) "app.kubernetes.io/component" | toYaml }}
{{ include "bailiwick.entryLabel" . }}
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "name" workload): `defaults` overridden by `services.<name>`. */}}
{{- define "bailiwick.workloadValues" -}}
{{- include "bailiwick.overDefaults" (dict "root" .root "own" (index .root.Values.services .name | default dict)) -}}
{{- end -}}

{{/*
(dict "root" $ "own" values): the values merged over `defaults`. Lists are replaced, and null
removes a key.
*/}}
{{- define "bailiwick.overDefaults" -}}
{{- $values := mustMergeOverwrite (deepCopy .root.Values.defaults) (deepCopy .own) -}}
{{- include "bailiwick.dropNulls" (dict "values" $values "own" .own) -}}
{{- toYaml $values -}}
{{- end -}}

{{/*
(dict "values" merged "own" the overriding values): removes the keys that are null, because merging
ignores a null.
*/}}
{{- define "bailiwick.dropNulls" -}}
{{- range $name, $value := .own -}}
{{- if kindIs "invalid" $value -}}{{- $_ := unset $.values $name -}}
{{- else if kindIs "map" $value -}}{{- include "bailiwick.dropNulls" (dict "values" (index $.values $name) "own" $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "name" workload "values" its values): the workload's ServiceAccount. */}}
{{- define "bailiwick.account" -}}
{{- if .values.serviceAccount.create -}}
{{ default (printf "%s-%s" (include "bailiwick.fullname" .root) .name) .values.serviceAccount.name }}
{{- else -}}
{{ default "default" .values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{/* (dict "values" a workload's): the minimum number of pods. */}}
{{- define "bailiwick.leastReplicas" -}}
{{- .values.autoscaling.enabled | ternary .values.autoscaling.minReplicas .values.replicas | int -}}
{{- end -}}

{{/* (dict "root" $ "process" name): whether the process reads the setting named by `setting`. */}}
{{- define "bailiwick.hasSetting" -}}
{{- if hasKey (index (include "bailiwick.settings" .root | fromYaml) .process) .setting -}}true{{- end -}}
{{- end -}}

{{/* (dict "root" $ "name" "workload" its entry above "values"): the container. */}}
{{- define "bailiwick.workloadContainer" -}}
command: {{ concat (list "node") .values.nodeArguments (list .workload.script) | toJson }}
ports:
  - {name: http, containerPort: 8080}
  {{- if .workload.serves }}
  {{- if .workload.entry }}
  - {name: rpc, containerPort: 8082}
  {{- end }}
  - {name: grpc, containerPort: 8081}
  {{- end }}
  - {name: admin, containerPort: 9464}
env:
  {{- include "bailiwick.environment" (dict "root" .root "name" .name "process" .workload.process "workload" .workload "values" .values) | nindent 2 }}
  {{- include "bailiwick.standardEnvironment" .root | nindent 2 }}
  {{- with .values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumeMounts:
  {{- include "bailiwick.mounts" (dict "root" .root "process" .workload.process) | nindent 2 }}
  {{- with .values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
{{- /*
Ready once the schema is current and the broker answers. A first start may wait for the migrations.
A deleted pod counts as terminating at once and gets no connections while another pod is ready. If
none is, Kubernetes sends connections to it while its probe succeeds, so the probe is not /readyz.
*/}}
startupProbe: {httpGet: {path: /startupz, port: admin}, initialDelaySeconds: 2, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 150}
readinessProbe: {httpGet: {path: /servingz, port: admin}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2}
livenessProbe: {httpGet: {path: /livez, port: admin}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
{{- end -}}

{{/* (dict "root" $ "values" "component"): the constraints that spread a workload's pods over zones and nodes. */}}
{{- define "bailiwick.spread" -}}
{{- $context := . -}}
{{- range $topology, $key := dict "zone" "topology.kubernetes.io/zone" "host" "kubernetes.io/hostname" }}
{{- $way := index $context.values.topologySpread $topology }}
{{- if ne $way "none" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: {{ $way }}
  labelSelector:
    matchLabels:
      {{- include "bailiwick.selectorLabels" $context | nindent 6 }}
  {{- /* Of one version, so that pods that are being replaced do not count. */}}
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}
{{- with .values.topologySpreadConstraints }}
{{ toYaml . }}
{{- end }}
{{- end -}}
