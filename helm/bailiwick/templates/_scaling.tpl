{{/* Quickly up, slowly down: a pod that goes needs up to a minute for the calls and attempts it has in hand. */}}
{{- define "bailiwick.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
  policies: [{type: Percent, value: 100, periodSeconds: 30}]
scaleDown:
  stabilizationWindowSeconds: 300
  policies: [{type: Pods, value: 1, periodSeconds: 60}]
{{- end -}}
