{{/*
(dict "root" $ "component" "clients" components "ports" "open" ports for all clients, such as KEDA):
the ingress of a server.
*/}}
{{- define "bailiwick.evaluation.policy" -}}
{{- $ingress := printf "- ports: %s\n  from: %s\n" (include "bailiwick.tcpPorts" .ports | fromYamlArray | toJson) (include "bailiwick.pods" (dict "root" .root "components" .clients) | fromYamlArray | toJson) -}}
{{- with .open -}}
{{- $ingress = printf "%s- ports: %s\n" $ingress (include "bailiwick.tcpPorts" . | fromYamlArray | toJson) -}}
{{- end -}}
{{- include "bailiwick.policy" (dict "root" .root "component" .component "ingress" $ingress) -}}
{{- end -}}
