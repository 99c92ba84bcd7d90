{{/*
The only pod template. Every workload, Job and evaluation pod uses it, so that all have the same settings.

  root        $
  component   its name: the container's name and a label
  account     the ServiceAccount, "default" if it has none of its own
  values      podLabels, podAnnotations, podSecurityContext, containerSecurityContext, nodeSelector, tolerations, affinity,
              topologySpreadConstraints, priorityClassName, terminationGracePeriodSeconds; all optional
  container   the container: command, env, ports, probes, volumeMounts, resources …
  initContainer, volumes   optional
  labels      more labels, as text; optional
  spread      whether the pods are spread over zones and nodes
  image       default: Bailiwick's
  user        default: 65532
  restart     default: Always
*/}}
{{- define "bailiwick.podTemplate" -}}
{{- $user := default 65532 .user -}}
{{- $podSecurity := dict "runAsNonRoot" true "runAsUser" $user "runAsGroup" $user "fsGroup" $user "fsGroupChangePolicy" "OnRootMismatch" "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- $security := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) -}}
{{- $security = mustMergeOverwrite $security (deepCopy (default dict .values.containerSecurityContext)) -}}
{{- $common := dict
      "name" .component
      "image" (default (include "bailiwick.image" .root) .image)
      "imagePullPolicy" (.image | empty | ternary .root.Values.image.pullPolicy "IfNotPresent")
      "securityContext" $security
-}}
metadata:
  labels:
    {{- /* Without the chart's version, so that a new chart alone does not restart pods. */}}
    {{- include "bailiwick.selectorLabels" . | nindent 4 }}
    {{- with .labels }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with .values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ .account | quote }}
  automountServiceAccountToken: false
  {{- /*
  For a Service named bailiwick-x Kubernetes would set BAILIWICK_X_PORT and more, and a process does
  not start with a BAILIWICK_ variable that it does not know.
  */}}
  enableServiceLinks: false
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.dnsConfig }}
  dnsConfig:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .restart }}
  restartPolicy: {{ . }}
  {{- end }}
  terminationGracePeriodSeconds: {{ default 30 .values.terminationGracePeriodSeconds | int }}
  securityContext:
    {{- mustMergeOverwrite $podSecurity (deepCopy (default dict .values.podSecurityContext)) | toYaml | nindent 4 }}
  {{- with .initContainer }}
  initContainers:
    {{- include "bailiwick.container" (dict "common" (merge (dict "name" "migrations") $common) "container" .) | nindent 4 }}
  {{- end }}
  containers:
    {{- include "bailiwick.container" (dict "common" $common "container" .container) | nindent 4 }}
  volumes:
    - name: tmp
      emptyDir: {sizeLimit: 64Mi}
    {{- with .volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .values.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  {{- with .values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .spread }}
  {{- with include "bailiwick.spread" . | trim }}
  topologySpreadConstraints:
    {{- . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end -}}

{{/* (dict "common" fields of all containers "container"): a list with the container. */}}
{{- define "bailiwick.container" -}}
{{- $mounts := concat (list (dict "name" "tmp" "mountPath" "/tmp")) (default list .container.volumeMounts) -}}
{{- list (mustMergeOverwrite (deepCopy .common) .container (dict "volumeMounts" $mounts)) | toYaml -}}
{{- end -}}
