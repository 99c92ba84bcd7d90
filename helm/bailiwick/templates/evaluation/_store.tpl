{{/* The values that decide on which nodes a pod runs apply to these pods too. */}}
{{- define "bailiwick.evaluation.podValues" -}}
{{- pick .Values.defaults "nodeSelector" "tolerations" "priorityClassName" | toYaml -}}
{{- end -}}

{{/*
(dict "root" $ "component" "image" "user" "storage" "ports" name → number "container" "volumes"): a
server of the evaluation with a disk: claim, Service and StatefulSet. The claim is an object of the
chart, so that it is removed together with the secrets that its data depends on.
*/}}
{{- define "bailiwick.evaluation.store" -}}
{{- $data := dict "name" "data" "emptyDir" (dict "sizeLimit" .storage) }}
{{- if .root.Values.evaluation.persistence }}
{{- $data = dict "name" "data" "persistentVolumeClaim" (dict "claimName" (printf "%s-%s" (include "bailiwick.fullname" .root) .component)) }}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  {{- include "bailiwick.metadata" . | nindent 2 }}
spec:
  accessModes: [ReadWriteOnce]
  {{- with .root.Values.evaluation.storageClassName }}
  storageClassName: {{ . | quote }}
  {{- end }}
  resources:
    requests: {storage: {{ .storage }}}
---
{{- end }}
apiVersion: v1
kind: Service
metadata:
  {{- include "bailiwick.metadata" . | nindent 2 }}
spec:
  type: ClusterIP
  {{- /* Headless, as a StatefulSet needs, and so that KEDA can query each server. */}}
  clusterIP: None
  selector:
    {{- include "bailiwick.selectorLabels" . | nindent 4 }}
  ports:
    {{- range $name, $port := .ports }}
    - {name: {{ $name }}, port: {{ $port }}, targetPort: {{ $name }}}
    {{- end }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  {{- include "bailiwick.metadata" . | nindent 2 }}
spec:
  replicas: 1
  serviceName: {{ include "bailiwick.fullname" .root }}-{{ .component }}
  selector:
    matchLabels:
      {{- include "bailiwick.selectorLabels" . | nindent 6 }}
  template:
    {{- include "bailiwick.podTemplate" (dict
          "root" .root
          "component" .component
          "account" "default"
          "values" (include "bailiwick.evaluation.podValues" .root | fromYaml)
          "container" .container
          "volumes" (prepend .volumes $data)
          "image" .image
          "user" .user
        ) | nindent 4 }}
{{- end -}}
