{{- define "quire.labels" }}{app.kubernetes.io/name: quire, app.kubernetes.io/instance: {{ quote .Release.Name }}}{{ end }}
