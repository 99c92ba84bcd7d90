{{/*
Scales up fast and down slowly: a stopping pod needs up to a minute for its calls and attempts in
flight.
*/}}
{{- define "bailiwick.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
  policies: [{type: Percent, value: 100, periodSeconds: 30}]
scaleDown:
  stabilizationWindowSeconds: 300
  policies: [{type: Pods, value: 1, periodSeconds: 60}]
{{- end -}}
