import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openChart } from './helm.ts';

// Values that the chart rejects, and its messages.

const chart = await openChart();

test('a rendering without references fails with one message that lists all of them', {
  skip: chart.skip,
}, async () => {
  const message = await chart.refusal({});
  const references = [
    'database.existingSecret',
    'nats.url or nats.existingSecret',
    'mail.smtpUrl or mail.existingSecret',
    'mail.from',
    'publicUrl',
    'secrets.existingSecret',
  ];
  for (const reference of references)
    assert.ok(message.includes(`  - ${reference}`), `${reference} in ${message}`);
  assert.match(message, /for access, identity, notifications, sso/);
  assert.match(message, /evaluation\.enabled=true/);
});

test('a rendering lists only the missing values', { skip: chart.skip }, async () => {
  const message = await chart.refusal({
    file: 'minimal',
    set: [
      'database.existingSecret=',
      'database.services.sso.existingSecret=sso',
      'secrets.existingSecret=',
      'secrets.keyRing.existingSecret=ring',
    ],
  });
  assert.match(message, /database\.existingSecret: .*for access, identity, notifications\)/);
  assert.match(
    message,
    /secrets\.existingSecret: .*callerKeys, callerPublicKeys, platformKey, workerToken /,
  );
  assert.equal(message.match(/^ {2}- /gm)?.length, 2);
});

/** --set → text that the message must contain. */
const refused: ReadonlyArray<readonly [set: string, mentions: string]> = [
  ['publicUrI=https://example.com', "'publicUrI' not allowed"],
  ['publicUrl=example.com', "at '/publicUrl'"],
  ['publicUrl=https://user@example.com', "at '/publicUrl'"],
  ['mode=both', "'services', 'compact', 'single'"],
  ['rpc.mode=tcp', "'http', 'grpc'"],
  ['image.digest=latest', "at '/image/digest'"],
  ['image.pullPolicy=Sometimes', "'Always', 'IfNotPresent', 'Never'"],
  ['imagePullSecrets[0].nmae=registry', "'nmae' not allowed"],
  ['database.existingSecret=Data_Base', "at '/database/existingSecret'"],
  ['database.services.billing.existingSecret=a', "'billing' not allowed"],
  ['nats.url=nats://user:password@nats:4222', "at '/nats/url'"],
  ['nats.monitoring=http://nats:8222', "at '/nats/monitoring'"],
  ['mail.smtpUrl=smtp://user:password@mail', "at '/mail/smtpUrl'"],
  ['egress.proxyUrl=socks5://proxy:1080', "at '/egress/proxyUrl'"],
  ['secrets.keyring.existingSecret=ring', "'keyring' not allowed"],
  ['tls.internal.mode=mtls', "'none', 'certManager', 'existing'"],
  ['tls.internal.certManager.duration=90d', "at '/tls/internal/certManager/duration'"],
  ['config.endpointlimit=3', "'endpointlimit' not allowed"],
  ['config.endpointLimit=many', "at '/config/endpointLimit': got string, want integer"],
  ['config.retrySchedule={soon}', "at '/config/retrySchedule/0'"],
  ['config.trustedProxies=10.0.0.0/8', "at '/config/trustedProxies': got string, want array"],
  ['config.tenantCreation=maybe', "at '/config/tenantCreation': got string, want boolean"],
  ['services.gatway.replicas=2', "'gatway' not allowed"],
  ['services.gateway.replica=2', "'replica' not allowed"],
  ['services.gateway.replicas=two', "at '/services/gateway/replicas'"],
  ['defaults.resources.limit.memory=1Gi', "'limit' not allowed"],
  ['defaults.extraEnv[0].name=BAILIWICK_HOST', "at '/defaults/extraEnv/0/name'"],
  [
    'services.notifications-email.autoscaling.minReplicas=0',
    "at '/services/notifications-email/autoscaling/minReplicas': minimum: got 0, want 1",
  ],
  ['defaults.autoscaling.by=memory', "'cpu', 'queue'"],
  ['defaults.topologySpread.zone=Always', "'ScheduleAnyway', 'DoNotSchedule', 'none'"],
  ['defaults.terminationGracePeriodSeconds=5', 'minimum: got 5, want 30'],
  ['migrations.mode=never', "'job', 'hook', 'initContainer', 'external'"],
  ['ingress.enabled=true', "at '/config': missing property 'trustedProxies'"],
  ['httpRoute.enabled=true', "at '/config': missing property 'trustedProxies'"],
  ['config.egressPorts={http}', "at '/config/egressPorts/0'"],
  ['config.egressPorts={70000}', "at '/config/egressPorts/0'"],
  [
    'defaults.podDisruptionBudget.maxUnavailable=0',
    "at '/defaults/podDisruptionBudget/maxUnavailable'",
  ],
  [
    'defaults.podDisruptionBudget.maxUnavailable=0%',
    "at '/defaults/podDisruptionBudget/maxUnavailable'",
  ],
  ['networkPolicy.nats.ports={nats}', "at '/networkPolicy/nats/ports/0'"],
  ['telemetry.sampleRatio=a few', "at '/telemetry/sampleRatio'"],
  ['alerts.runbooks=docs/runbooks.md', "at '/alerts/runbooks'"],
  ['alerts.enabled=yes please', "at '/alerts/enabled'"],
  ['evaluation.enable=true', "'enable' not allowed"],
];

test('the schema rejects and names unknown keys and values of the wrong type', {
  skip: chart.skip,
}, async () => {
  assert.ok(refused.length >= 30);
  for (const [set, mentions] of refused) {
    const message = await chart.refusal({ file: 'minimal', set: [set] });
    assert.match(message, /don't meet the specifications of the schema/, set);
    assert.ok(message.includes(mentions), `${set}: ${message}`);
  }
});

/** Values that are valid alone, but contradict each other. */
const contradictions: ReadonlyArray<readonly [set: readonly string[], mentions: RegExp]> = [
  [
    ['services.gateway.preDrainSeconds=40'],
    /services\.gateway: terminationGracePeriodSeconds must be at least preDrainSeconds \+ 30/,
  ],
  [
    ['services.access.autoscaling.enabled=true', 'services.access.autoscaling.maxReplicas=1'],
    /services\.access\.autoscaling: maxReplicas must be/,
  ],
  [
    ['services.access.autoscaling.enabled=true', 'services.access.autoscaling.by=queue'],
    /services\.access\.autoscaling\.by: there is no queue for this workload/,
  ],
  [
    [
      'services.notifications-email.autoscaling.enabled=true',
      'services.notifications-email.autoscaling.by=queue',
    ],
    /nats\.monitoring: /,
  ],
  [
    ['enabled=true', 'by=queue', 'minReplicas=1', 'maxReplicas=2'].map(
      (setting) => `services.notifications-email.autoscaling.${setting}`,
    ),
    /services\.notifications-email\.autoscaling: fallbackReplicas must be at most maxReplicas/,
  ],
  [
    ['tls.internal.mode=existing'],
    /tls\.internal\.existingSecret or tls\.internal\.existingSecrets\.sso/,
  ],
  [['tls.internal.mode=certManager'], /tls\.internal\.certManager\.issuerRef\.name/],
  [['httpRoute.enabled=true', 'config.trustedProxies={10.0.0.0/8}'], /httpRoute\.parentRefs/],
  [['externalSecrets.secrets.bailiwick=prod'], /externalSecrets\.storeRef\.name/],
  [['evaluation.enabled=true', 'migrations.mode=hook'], /migrations\.mode: hook runs before/],
  [
    [
      'migrations.mode=hook',
      'externalSecrets.secrets.bailiwick-database=prod',
      'externalSecrets.storeRef.name=vault',
    ],
    /migrations\.mode: hook runs before externalSecrets makes the Secret bailiwick-database, which it reads; use job/,
  ],
  [['nats.existingSecret=nats'], /nats\.url and nats\.existingSecret: name one/],
  [['mail.smtpUrl=smtp://mail'], /mail\.smtpUrl and mail\.existingSecret: name one/],
  [
    ['egress.proxyUrl=http://proxy:3128', 'egress.existingSecret=proxy'],
    /egress\.proxyUrl and egress\.existingSecret: name one/,
  ],
  [
    ['services.identity.config.deliveryConcurrency=3'],
    /services\.identity\.config\.deliveryConcurrency: the process of this workload does not read it/,
  ],
  [
    [
      'defaults.serviceAccount.name=shared',
      'defaults.serviceAccount.annotations.role=all',
      'services.sso.serviceAccount.annotations.role=sso',
    ],
    /services\.sso\.serviceAccount\.annotations\.role: services\.access gives it another value, and shares the ServiceAccount shared/,
  ],
  [['alerts.enabled=true'], /monitors\.enabled: the alerts select by labels/],
  [['config.keyService=vault'], /config\.vaultUrl/],
  [
    ['mode=single', 'movingFrom=services'],
    /movingFrom: the other one of the modes services and compact, or empty; not services with mode single/,
  ],
  [['mode=compact', 'movingFrom=compact'], /movingFrom: the other one of the modes/],
];

test('contradictory values are rejected with a message that says what to do', {
  skip: chart.skip,
}, async () => {
  for (const [set, mentions] of contradictions)
    assert.match(await chart.refusal({ file: 'minimal', set }), mentions, set.join());
});
