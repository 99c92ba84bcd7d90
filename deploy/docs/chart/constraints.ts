// Constraints in the schema of the chart's values, beyond the type of each default.

export type Schema = {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  [keyword: string]: unknown;
};

const strings: Schema = { type: 'object', additionalProperties: { type: 'string' } };
const objects: Schema = { type: 'array', items: { type: 'object' } };
const ports: Schema = { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65_535 } };
const name: Schema = {
  type: 'string',
  pattern: '^([a-z0-9]([a-z0-9.-]*[a-z0-9])?)?$',
  maxLength: 253,
};
const quantity: Schema = { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?(Ki|Mi|Gi|Ti)?$' };
const duration: Schema = { type: 'string', pattern: '^([0-9]+(h|m|s))+$' };
/** null removes the value from `defaults`. */
const amounts: Schema = {
  type: ['object', 'null'],
  additionalProperties: { type: ['string', 'number', 'null'] },
};
/** null removes that label from `defaults`. */
const nodeLabels: Schema = { type: 'object', additionalProperties: { type: ['string', 'null'] } };
const count = (minimum: number): Schema => ({ type: 'integer', minimum });
const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values });
const texts = (pattern?: string): Schema => ({
  type: 'array',
  items: pattern === undefined ? { type: 'string' } : { type: 'string', pattern },
});
const closed = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
});

/**
 * By the last word of a path, for values that mean the same everywhere. With a description where
 * values.yaml has no comment.
 */
export const byName: Readonly<Record<string, Schema>> = {
  existingSecret: { ...name, description: 'The Secret, in the namespace of the release.' },
  key: { type: 'string', pattern: '^[A-Za-z0-9._-]+$', description: 'The key in the Secret.' },
  name: { type: 'string', description: 'Its name.' },
  kind: { type: 'string', minLength: 1, description: 'Its kind.' },
  group: { type: 'string', description: 'Its API group.' },
  cpu: { type: ['string', 'number'], description: 'CPU.' },
  memory: { type: ['string', 'number'], description: 'Memory.' },
  migrations: { description: 'The login that migrates it.' },
  replica: { description: 'The replica of it, which answers lists.' },
  to: { ...objects, description: 'NetworkPolicyPeers. Empty: all.' },
  from: { ...objects, description: 'NetworkPolicyPeers. Empty: all.' },
  ports: { ...ports, description: 'Ports. Empty: the usual ones.' },
  labels: strings,
  annotations: strings,
  serviceAnnotations: strings,
  podLabels: strings,
  podAnnotations: strings,
  resources: {
    ...closed({
      requests: { ...amounts, description: 'Requests.' },
      limits: { ...amounts, description: 'Limits.' },
    }),
  },
  storage: quantity,
  tolerations: objects,
  topologySpreadConstraints: objects,
  extraVolumes: objects,
  extraVolumeMounts: objects,
  nodeSelector: strings,
};

const proxyUrl = '^(http://[^@/]+)?$';
const spread = oneOf('ScheduleAnyway', 'DoNotSchedule', 'none');

/** By the whole path. Takes precedence over the last word. */
export const byPath: Readonly<Record<string, Schema>> = {
  global: { type: 'object' },
  clusterDomain: { minLength: 1 },
  dnsConfig: closed({
    options: {
      ...objects,
      items: closed(
        { name: { type: 'string', minLength: 1 }, value: { type: 'string' } },
        { required: ['name'] },
      ),
      description: 'Resolver options, such as ndots.',
    },
    nameservers: { ...texts(), description: 'Addresses of further DNS servers.' },
    searches: { ...texts(), description: 'Further search domains.' },
  }),
  mode: oneOf('services', 'compact', 'single'),
  movingFrom: oneOf('', 'services', 'compact'),
  'image.repository': { minLength: 1 },
  'image.digest': { pattern: '^(sha256:[0-9a-f]{64})?$' },
  'image.pullPolicy': oneOf('Always', 'IfNotPresent', 'Never'),
  imagePullSecrets: {
    type: 'array',
    items: closed({ name: { ...name, minLength: 1 } }, { required: ['name'] }),
  },
  publicUrl: { pattern: '^(https?://[^@?#]+)?$' },
  'rpc.mode': oneOf('http', 'grpc'),
  'nats.url': { pattern: '^((nats|tls|ws|wss)://[^@]+)?$' },
  'nats.prefix': { pattern: '^[A-Za-z0-9_-]{0,32}$' },
  installationId: { pattern: '^([A-Za-z0-9][A-Za-z0-9._-]{0,127})?$' },
  'nats.monitoring': { pattern: '^([a-z0-9.-]+:[0-9]{1,5})?$' },
  'mail.smtpUrl': { pattern: '^(smtps?://[^@]+)?$' },
  'mail.from': { type: 'string' },
  'mail.templatesConfigMap': name,
  'brand.configMap': name,
  'breachedPasswords.existingClaim': name,
  'breachedPasswords.path': {
    pattern: '^([A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$',
  },
  'egress.proxyUrl': { pattern: proxyUrl },
  'externalSecrets.secrets': strings,
  'externalSecrets.storeRef.kind': oneOf('SecretStore', 'ClusterSecretStore'),
  'externalSecrets.refreshInterval': duration,
  'tls.internal.mode': oneOf('none', 'certManager', 'existing'),
  'tls.internal.existingSecrets': { type: 'object', additionalProperties: name },
  'tls.internal.certManager.duration': duration,
  'tls.internal.certManager.renewBefore': duration,
  'defaults.replicas': count(0),
  'defaults.nodeArguments': texts('^--'),
  'defaults.extraEnv': {
    type: 'array',
    items: closed(
      {
        name: {
          type: 'string',
          not: { pattern: '^(BAILIWICK_.*|PORT|(DATABASE|DATABASE_READ|NATS)_URL(_FILE)?)$' },
        },
        value: { type: 'string' },
        valueFrom: { type: 'object' },
      },
      { required: ['name'] },
    ),
  },
  'defaults.preDrainSeconds': count(0),
  'defaults.terminationGracePeriodSeconds': count(30),
  'defaults.autoscaling.by': oneOf('cpu', 'queue'),
  'defaults.autoscaling.minReplicas': count(1),
  'defaults.autoscaling.maxReplicas': count(1),
  'defaults.autoscaling.targetCpuPercent': count(1),
  'defaults.autoscaling.queueLag': count(1),
  'defaults.autoscaling.fallbackReplicas': count(1),
  'defaults.podDisruptionBudget.maxUnavailable': {
    type: ['integer', 'string'],
    minimum: 1,
    pattern: '^[1-9][0-9]?%$',
  },
  'defaults.topologySpread.zone': spread,
  'defaults.topologySpread.host': spread,
  'migrations.mode': oneOf('job', 'hook', 'initContainer', 'external'),
  'migrations.nodeSelector': nodeLabels,
  'migrations.backoffLimit': count(0),
  'ingress.hosts': texts('^[a-z0-9*.-]+$'),
  'httpRoute.hostnames': texts('^[a-z0-9*.-]+$'),
  'httpRoute.parentRefs': { type: 'array', items: { type: 'object', required: ['name'] } },
  'telemetry.endpoint': { pattern: '^(https?://[^@]+)?$' },
  'telemetry.protocol': oneOf('http/protobuf', 'http/json', 'grpc'),
  'telemetry.sampleRatio': { pattern: '^(0(\\.[0-9]+)?|1(\\.0+)?)$' },
  'monitors.interval': duration,
  'alerts.alertLabels': strings,
  'alerts.runbooks': { pattern: '^(https?://.+)?$' },
  'alerts.volumes': {
    type: 'array',
    items: closed(
      { namespace: { ...name, minLength: 1 }, claims: { type: 'string', minLength: 1 } },
      { required: ['namespace', 'claims'] },
    ),
  },
  'evaluation.postgres.image': { minLength: 1 },
  'evaluation.nats.image': { minLength: 1 },
};

/** Constraints of a workload that differ from `defaults`. */
export const byWorkload: Readonly<Record<string, Schema>> = { nodeSelector: nodeLabels };

const waits = texts('^[0-9]+[smh]$');

/** The values of `config`: the settings that the chart does not set itself. */
export const config: Readonly<Record<string, Schema>> = {
  host: {},
  databasePool: count(1),
  requestTimeoutMs: count(100),
  keepAliveMs: count(1000),
  trustedProxies: texts('^[0-9a-fA-F.:]+(/[0-9]{1,3})?$'),
  allowedOrigins: texts('^https?://[^/]+$'),
  appUrl: { pattern: '^(https?://.+)?$' },
  brandName: { maxLength: 64 },
  brandColor: { pattern: '^(#[0-9A-Fa-f]{6})?$' },
  termsUrl: { pattern: '^(https://.+)?$' },
  privacyUrl: { pattern: '^(https://.+)?$' },
  limits: oneOf('standard', 'strict', 'off'),
  tenantQuota: count(0),
  passwordProfile: oneOf('standard', 'nist'),
  emailCodes: oneOf('off', 'on'),
  registration: oneOf('open', 'invited', 'closed'),
  trustTraceparent: {},
  unknownKeys: oneOf('refuse', 'ignore'),
  console: {},
  tenantCreation: {},
  reservedNames: texts(),
  auditRetentionDays: count(7),
  tenantGraceSeconds: count(1),
  keyService: oneOf('ring', 'vault'),
  vaultUrl: { pattern: '^(https?://[^@?#]+)?$' },
  vaultNamespace: {},
  vaultTransitMount: { minLength: 1 },
  vaultTransitKey: { minLength: 1 },
  vaultKubernetesRole: {},
  vaultKubernetesMount: { minLength: 1 },
  endpointLimit: count(1),
  deliveryBodyHours: { ...count(0), maximum: 720 },
  deliveryConcurrency: count(1),
  emailConcurrency: count(1),
  retrySchedule: { ...waits, minItems: 1 },
  breakerPauses: { ...waits, minItems: 2, maxItems: 2 },
  endpointPatience: { ...waits, minItems: 1 },
  smtpName: { pattern: '^([A-Za-z0-9.-]*|\\[[0-9A-Za-z:.]+\\])$' },
  egressAllowHosts: texts(),
  egressAllowCidrs: texts('^[0-9a-fA-F.:]+/[0-9]{1,3}$'),
  egressPorts: {
    type: 'array',
    items: { type: ['integer', 'string'], pattern: '^[0-9]{1,5}$', minimum: 1, maximum: 65535 },
  },
  egressResolver: { pattern: '^([0-9.]+|\\[[0-9a-fA-F:.]+\\])?(:[0-9]{1,5})?$' },
  dnsResolvers: texts('^([0-9.]+|\\[[0-9a-fA-F:.]+\\])(:[0-9]{1,5})?$'),
};
