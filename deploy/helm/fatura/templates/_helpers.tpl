{{- define "fatura.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end -}}
{{- end }}

{{/* Which processes serve which modes: `{suffix, host, modes}`, with the suffix of their names and the key of their host. */}}
{{- define "fatura.pairs" -}}
{{- if eq .Values.modes "apart" -}}
pairs:
  - { suffix: -live, host: live, modes: live }
  - { suffix: -sandbox, host: sandbox, modes: sandbox }
{{- else -}}
pairs:
  - { suffix: "", host: both, modes: "live,sandbox" }
{{- end -}}
{{- end }}

{{/* `{root, component}`: what a workload and its pods are found by. */}}
{{- define "fatura.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "fatura.labels" -}}
{{ include "fatura.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* `{root, database, pair}`: the environment of a process. The migration serves no mode and has no pair. */}}
{{- define "fatura.environment" -}}
env:
{{- $settings := .root.Values.settings -}}
{{- $_ := required "settings.TEMPORAL_ADDRESS is required" $settings.TEMPORAL_ADDRESS -}}
{{- if .pair -}}
{{- $host := required (printf "hosts.%s is required with modes %s" .pair.host .root.Values.modes) (get .root.Values.hosts .pair.host) -}}
{{- $settings = merge (dict "MODES" .pair.modes "PUBLIC_URL" (printf "https://%s" $host)) $settings -}}
{{- end -}}
{{- range $name, $value := $settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $from := merge (dict "DATABASE_URL" (get .root.Values.databases .database)) .root.Values.secrets }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: {{ toJson $from }}
{{- end }}
{{- /* Of one name Kubernetes takes the last. */ -}}
{{- range concat (get .root.Values.extraEnv "all" | default list) (get .root.Values.extraEnv .database | default list) }}
- {{ toJson . }}
{{- end }}
{{- with .root.Values.envFrom }}
envFrom: {{ toJson . }}
{{- end }}
{{- with .root.Values.volumeMounts }}
volumeMounts: {{ toJson . }}
{{- end }}
{{- end }}

{{/* `{root, component}`: what the pods of all processes have alike. */}}
{{- define "fatura.pod" -}}
{{- $values := .root.Values -}}
{{- /* The variables that Kubernetes would make of a Service called fatura look like settings, and end a start. */ -}}
enableServiceLinks: false
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with $values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with $values.serviceAccount }}
serviceAccountName: {{ . }}
{{- end }}
{{- with $values.volumes }}
volumes: {{ toJson . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- with $values.affinity }}
affinity: {{ toJson . }}
{{- end }}
{{- end }}

{{/* `{root, resources}`: what their containers have alike. */}}
{{- define "fatura.container" -}}
image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{ toJson .resources }}
{{- end }}

{{/* `{root, component}`: labels and annotations of pods. */}}
{{- define "fatura.podMetadata" -}}
labels:
  {{- include "fatura.labels" . | nindent 2 }}
  {{- with .root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.podAnnotations }}
annotations: {{ toJson . }}
{{- end }}
{{- end }}
