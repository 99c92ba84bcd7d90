{{/*
Adds the sections of values.yaml that .Values lacks: `helm upgrade --reuse-values` takes the values
of the previous version, which does not know the new ones. Every template begins with it, because
Helm does not promise their order. It does not add maps that a later version adds inside of a
section: a null there is a user's choice.
*/}}
{{- define "bailiwick.fillValues" -}}
{{- $values := .Values -}}
{{- range $name, $section := .Files.Get "files/defaults.yaml" | fromYaml }}
{{- if not (hasKey $values $name) }}{{ $_ := set $values $name $section }}{{ end }}
{{- end }}
{{- end -}}

{{/* The prefix of every object. 40 characters leave room for the longest suffix within Kubernetes' 63. */}}
{{- define "bailiwick.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- $name = .Values.fullnameOverride -}}
{{- else if not (contains $name .Release.Name) -}}
{{- $name = printf "%s-%s" .Release.Name $name -}}
{{- else -}}
{{- $name = .Release.Name -}}
{{- end -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/*
(dict "root" $ "component" name): the labels that select the pods of a component. They never change
during a release's life.
*/}}
{{- define "bailiwick.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* (dict "root" $ "component" name) */}}
{{- define "bailiwick.labels" -}}
{{ include "bailiwick.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: bailiwick
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* (dict "root" $ "component" name): name, namespace and labels of an object of that component. */}}
{{- define "bailiwick.metadata" -}}
name: {{ include "bailiwick.fullname" .root }}-{{ .component }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "bailiwick.labels" . | nindent 2 }}
{{- end -}}

{{/* A digest identifies one image, so it takes precedence over a tag. */}}
{{- define "bailiwick.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
(dict "root" $ "component" name): the host name of a component's Service. The full name, because a
resolver that queries the DNS server directly ignores the search list in resolv.conf.
*/}}
{{- define "bailiwick.host" -}}
{{ include "bailiwick.fullname" .root }}-{{ .component }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}
{{- end -}}
