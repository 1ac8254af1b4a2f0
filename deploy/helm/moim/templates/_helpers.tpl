{{- define "moim.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "moim.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "moim.selector" . }}
{{- end }}

{{- define "moim.selector" -}}
app.kubernetes.io/name: moim
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "moim.secret" -}}
{{ .Values.secrets.existing | default (include "moim.name" .) }}
{{- end }}

{{- /* What all pods share. Call with (dict "root" $); hooks run before the account is there, hence "account". */ -}}
{{- define "moim.pod" -}}
serviceAccountName: {{ .account | default (include "moim.name" .root) }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "moim.places" -}}
{{- if kindIs "invalid" .Values.worker.maxMeetings }}{{ ternary 2 8 (eq (toString (default "whisper" .Values.settings.STT_ENGINE)) "whisper") }}{{ else }}{{ .Values.worker.maxMeetings }}{{ end }}
{{- end }}

{{- /* A pod should not share its node with its like. */ -}}
{{- define "moim.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "moim.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "moim.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "moim.envFrom" -}}
envFrom:
  - configMapRef:
      name: {{ include "moim.name" . }}
  - secretRef:
      name: {{ include "moim.secret" . }}
{{- end }}

{{- /* Starting takes as long as loading models does. Readiness keeps no traffic away, it says who works. */ -}}
{{- define "moim.probes" -}}
ports:
  - name: http
    containerPort: 8080
  - name: probes
    containerPort: 8081
startupProbe:
  httpGet: {path: /healthz, port: probes}
  periodSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: probes}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: probes}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{- define "moim.mounts" -}}
volumeMounts:
  - {name: state, mountPath: /var/lib/moim}
  - {name: cache, mountPath: /var/cache/moim}
  - {name: tmp, mountPath: /tmp}
{{- if .Values.budgets }}
  - {name: budgets, mountPath: /etc/moim, readOnly: true}
{{- end }}
{{- if .Values.minutesTemplate }}
  - {name: minutes, mountPath: /etc/moim-minutes, readOnly: true}
{{- end }}
{{- end }}

{{- define "moim.volumes" -}}
- name: cache
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- if .Values.budgets }}
- name: budgets
  configMap:
    name: {{ include "moim.name" . }}-budgets
{{- end }}
{{- if .Values.minutesTemplate }}
- name: minutes
  configMap:
    name: {{ include "moim.name" . }}-minutes
{{- end }}
{{- end }}

{{- /* A changed setting is a new pod. */ -}}
{{- define "moim.checksum" -}}
checksum/config: {{ include (print .Template.BasePath "/config.yaml") . | sha256sum }}
{{- end }}
