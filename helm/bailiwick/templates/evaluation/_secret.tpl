{{- define "bailiwick.evaluation.ownSecret" -}}
{{- include "bailiwick.fullname" . }}-evaluation
{{- end -}}

{{- define "bailiwick.evaluation.secretName" -}}
{{- default (include "bailiwick.evaluation.ownSecret" .) .Values.evaluation.existingSecret -}}
{{- end -}}

{{/* Whether a pod reads the evaluation's Secret: not if every secret and database is named. */}}
{{- define "bailiwick.evaluation.isRead" -}}
{{- include "bailiwick.usesOwnDatabase" . -}}
{{- range $name, $reference := omit .Values.secrets "existingSecret" -}}
{{- if not (or $.Values.secrets.existingSecret $reference.existingSecret) -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Whether the rendering reads the cluster, which keeps random secrets as they are. A list answers also
in a namespace that does not exist yet and, unlike a Namespace, may be read by whoever installs:
Helm stores its releases in Secrets. Without the cluster, `lookup` returns an empty map.
*/}}
{{- define "bailiwick.evaluation.readsCluster" -}}
{{- if lookup "v1" "Secret" .Release.Namespace (include "bailiwick.evaluation.ownSecret" .) -}}true
{{- else if hasKey (lookup "v1" "Secret" .Release.Namespace "") "items" -}}true
{{- end -}}
{{- end -}}

{{- define "bailiwick.evaluation.problems" -}}
{{- with .Values.evaluation -}}
{{- if and .enabled (eq .existingSecret (include "bailiwick.evaluation.ownSecret" $)) }}
- "evaluation.existingSecret: {{ .existingSecret }} is the Secret that the chart makes, and Helm would delete it; copy it to another name"
{{- else if and .enabled (not .existingSecret) (not .newSecrets) (include "bailiwick.evaluation.isRead" $) (not (include "bailiwick.evaluation.readsCluster" $)) }}
- "evaluation.existingSecret: the Secret with the keys. This rendering does not read the cluster (helm template, --dry-run=client, Argo CD): it would make new random keys each time, and an installation that gets them cannot read its data. Without it, use helm install, helm upgrade or --dry-run=server; for a look at the objects, evaluation.newSecrets=true"
{{- end }}
{{- end -}}
{{- end -}}
