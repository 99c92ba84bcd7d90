import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { openChart, type Values, valueFiles } from './helm.ts';
import { configuredPods, containerOf, ownLabels, podOf, podsIn, workloads } from './manifests.ts';

const chart = await openChart();
const sets: Values[] = Object.keys(valueFiles).map((file) => ({ file }));
const called = ['gateway', 'identity', 'access', 'sso', 'notifications-api'];

test('every workload has an existing command and is replaced without downtime', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'minimal' });
  assert.equal(
    objects.filter(({ kind }) => kind === 'Deployment').length,
    Object.keys(workloads).length,
  );
  for (const [name, process] of Object.entries(workloads)) {
    const { spec } =
      objects.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === `bailiwick-${name}`,
      ) ?? assert.fail(name);
    const [node, script = ''] = containerOf(podOf(objects, 'Deployment', name)).command ?? [];
    assert.equal(node, 'node');
    assert.equal(script, process === 'gateway' ? 'gateway/main.ts' : `services/${process}/main.ts`);
    assert.ok(existsSync(join(root, script)), script);
    assert.deepEqual(spec?.strategy, {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    });
    assert.equal(spec?.template?.spec.terminationGracePeriodSeconds, 60);
    assert.deepEqual(spec?.selector?.matchLabels, ownLabels(spec?.template ?? assert.fail()));
  }
  assert.deepEqual(containerOf(podOf(objects, 'Job', 'migrations')).command, [
    'node',
    'deploy/migrate.ts',
  ]);
});

test('the gateway and every called service have a Service for their ports', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'minimal' });
  const services = objects.filter(
    ({ kind, spec }) => kind === 'Service' && spec?.clusterIP !== 'None',
  );
  assert.deepEqual(
    services.map(({ metadata }) => metadata.name).sort(),
    called.map((name) => `bailiwick-${name}`).sort(),
  );
  for (const { metadata, spec } of services) {
    assert.equal(spec?.type, 'ClusterIP');
    const ports: Array<[string, number]> = [
      ['http', 8080],
      ...(metadata.name === 'bailiwick-gateway' ? [] : [['grpc', 8081] as [string, number]]),
      ['admin', 9464],
    ];
    assert.deepEqual(
      spec?.ports?.map(({ name, port, targetPort }) => [name, port, targetPort]),
      ports.map(([name, port]) => [name, port, name]),
    );
    const pod = podOf(objects, 'Deployment', metadata.name.replace('bailiwick-', ''));
    assert.deepEqual(spec?.selector, ownLabels(pod));
    assert.deepEqual(
      containerOf(pod).ports,
      ports.map(([name, containerPort]) => ({ name, containerPort })),
    );
  }
});

test('gRPC clients find the addresses of all pods of a service in a headless Service', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'minimal' });
  const headless = objects.filter(
    ({ kind, spec }) => kind === 'Service' && spec?.clusterIP === 'None',
  );
  const names = called.filter((name) => name !== 'gateway');
  assert.deepEqual(
    headless.map(({ metadata }) => metadata.name).sort(),
    names.map((name) => `bailiwick-${name}-grpc`).sort(),
  );
  for (const { metadata, spec } of headless) {
    const pod = podOf(objects, 'Deployment', metadata.name.replace(/^bailiwick-|-grpc$/g, ''));
    assert.deepEqual(spec?.selector, pod.metadata.labels);
    assert.deepEqual(
      spec?.ports?.map(({ name, port, targetPort }) => [name, port, targetPort]),
      [['grpc', 8081, 'grpc']],
    );
  }
});

/** The variable for the listen port of a process, by the name of the container's port. */
const portVariables: Readonly<Record<string, string>> = {
  http: 'PORT',
  grpc: 'BAILIWICK_GRPC_PORT',
  admin: 'BAILIWICK_ADMIN_PORT',
};

test('Kubernetes probes each process on the admin port, and a process listens on every port that its container names', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'minimal' });
  for (const name of Object.keys(workloads)) {
    const {
      startupProbe,
      readinessProbe,
      livenessProbe,
      ports = [],
      env = [],
    } = containerOf(podOf(objects, 'Deployment', name));
    assert.deepEqual(
      ports.filter((port) => port.name === 'admin'),
      [{ name: 'admin', containerPort: 9464 }],
      name,
    );
    for (const { name: port, containerPort } of ports) {
      assert.equal(
        env.find((variable) => variable.name === portVariables[port])?.value,
        String(containerPort),
        `${name}: ${port}`,
      );
    }
    const probes = [startupProbe, readinessProbe, livenessProbe].map((probe) => [
      probe?.httpGet?.path,
      probe?.httpGet?.port,
    ]);
    assert.deepEqual(probes, [
      ['/startupz', 'admin'],
      ['/servingz', 'admin'],
      ['/livez', 'admin'],
    ]);
    // A process needs about a second until it listens; an earlier probe would log a warning at
    // every install.
    assert.equal(startupProbe?.initialDelaySeconds, 2);
  }
});

test('every pod of every scenario resolves Service names without search domains', {
  skip: chart.skip,
}, async () => {
  for (const values of sets) {
    for (const { name, pod } of podsIn(await chart.render(values))) {
      assert.deepEqual(
        pod.spec.dnsConfig,
        { options: [{ name: 'ndots', value: '2' }] },
        `${name}, ${values.file}`,
      );
    }
  }
  const own = await chart.render({
    file: 'minimal',
    set: ['dnsConfig.options[0].name=use-vc', 'dnsConfig.nameservers[0]=10.0.0.10'],
  });
  assert.deepEqual(podOf(own, 'Deployment', 'gateway').spec.dnsConfig, {
    options: [{ name: 'use-vc' }],
    nameservers: ['10.0.0.10'],
  });
  const none = await chart.render({ file: 'minimal', set: ['dnsConfig=null'] });
  assert.equal(podOf(none, 'Deployment', 'gateway').spec.dnsConfig, undefined);
});

/** Secrets that several processes read: the setting, and its file. */
const sharedSecrets = {
  keyRing: 'key-ring',
  platformKey: 'platform-key',
  workerToken: 'worker-token',
};

test('a pod mounts only its own private key, and key ring, platform key and worker token only if its process reads them', {
  skip: chart.skip,
}, async () => {
  for (const values of sets) {
    for (const { name, table, pod } of configuredPods(await chart.render(values))) {
      const items = pod.spec.volumes
        .flatMap(({ projected }) => projected?.sources ?? [])
        .flatMap(({ secret }) => secret?.items ?? []);
      const read = Object.entries(sharedSecrets).flatMap(([setting, path]) =>
        Object.hasOwn(table, setting) ? [path] : [],
      );
      const shared = items
        .map(({ path }) => path)
        .filter((path) => Object.values(sharedSecrets).includes(path));
      assert.deepEqual(shared.sort(), read.sort(), `${name}, ${values.file}`);
      const keys = items
        .map(({ key }) => key)
        .filter((key) => key.endsWith('.key') && key !== 'tls.key');
      const own = name === 'migrations' ? [] : [`${workloads[name]}.key`];
      assert.deepEqual(keys, own, `${name}, ${values.file}`);
    }
  }
});

test('a ConfigMap with the brand’s images is mounted only in processes that show them', {
  skip: chart.skip,
}, async () => {
  const pods = configuredPods(
    await chart.render({ file: 'minimal', set: ['brand.configMap=images'] }),
  );
  const logos = pods.flatMap(({ name, pod }) => {
    const [container] = pod.spec.containers;
    const file = container?.env?.find((one) => one.name === 'BAILIWICK_BRAND_LOGO_FILE')?.value;
    const mount = container?.volumeMounts.find((one) => one.name === 'brand');
    assert.equal(file, mount && `${mount.mountPath}/logo.png`);
    return mount ? [name] : [];
  });
  assert.deepEqual(logos, [
    'gateway',
    'notifications-api',
    'notifications-delivery',
    'notifications-email',
  ]);
});

test('a claim with breached passwords is mounted in identity only, to be read', {
  skip: chart.skip,
}, async () => {
  const set = ['breachedPasswords.existingClaim=breached', 'breachedPasswords.path=sha1'];
  const pods = configuredPods(await chart.render({ file: 'minimal', set }));
  const reading = pods.flatMap(({ name, pod }) => {
    const [container] = pod.spec.containers;
    const path = container?.env?.find(({ name: one }) => one === 'BAILIWICK_BREACHED_PASSWORDS');
    const mount = container?.volumeMounts.find((one) => one.name === 'breached-passwords');
    const volume = pod.spec.volumes.find((one) => one.name === 'breached-passwords');
    assert.equal(path?.value, mount && `${mount.mountPath}/sha1`);
    return mount
      ? [{ name, isReadOnly: mount.readOnly, claim: volume?.persistentVolumeClaim }]
      : [];
  });
  assert.deepEqual(reading, [
    { name: 'identity', isReadOnly: true, claim: { claimName: 'breached', readOnly: true } },
  ]);
});

test('a ConfigMap with mail templates is mounted only in processes that read it', {
  skip: chart.skip,
}, async () => {
  for (const [set, mounts] of [
    [
      'mail.templatesConfigMap=own-mails',
      ['notifications-api', 'notifications-delivery', 'notifications-email'],
    ],
    ['mail.templatesConfigMap=', []],
  ] as const) {
    const pods = configuredPods(await chart.render({ file: 'minimal', set: [set] }));
    const mounting = pods.filter(({ pod }) =>
      pod.spec.volumes.some(({ configMap }) => configMap?.name === 'own-mails'),
    );
    assert.deepEqual(
      mounting.map(({ name }) => name),
      mounts,
    );
    for (const { pod } of mounting) {
      const directory = pod.spec.containers[0]?.env?.find(
        ({ name }) => name === 'BAILIWICK_MAIL_TEMPLATES_DIR',
      )?.value;
      assert.ok(
        pod.spec.containers[0]?.volumeMounts.some(
          ({ name, mountPath, readOnly }) =>
            name === 'mail-templates' && mountPath === directory && readOnly,
        ),
      );
    }
  }
});

test('names fit into Kubernetes’ 63 characters, for a release name of any length', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({
    file: 'evaluation',
    release: 'a-release-with-a-name-that-is-just-as-long-as-helm-a',
  });
  for (const { kind, metadata } of objects)
    assert.ok(metadata.name.length <= 63, `${kind} ${metadata.name}`);
  assert.equal(
    new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).size,
    objects.length,
  );
});
