{{/*
(dict "root" $ "component" "ingress" rules "egress" rules): the connections that the pods of a
component may make and accept.
*/}}
{{- define "bailiwick.policy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "bailiwick.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "bailiwick.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  {{- with .ingress | default "" | trim }}
  ingress:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with .egress | default "" | trim }}
  egress:
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}
