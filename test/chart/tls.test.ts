import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingTables } from '@bailiwick/deploy/settings.ts';
import { openChart } from './helm.ts';
import { configuredPods, containerOf, objectsOf, type Pod, workloads } from './manifests.ts';

const chart = await openChart();
type Certificate = {
  secretName: string;
  issuerRef: { name: string; kind: string };
  usages: string[];
  dnsNames: string[];
};
const variableOf = (pod: Pod, name: string) =>
  containerOf(pod).env?.find((one) => one.name === name)?.value;
const sourcesOf = (pod: Pod) =>
  pod.spec.volumes.flatMap(({ projected }) => projected?.sources ?? []);
const certificateOf = (pod: Pod) =>
  sourcesOf(pod).find(({ secret }) => secret?.items.some(({ path }) => path === 'tls/tls.key'))
    ?.secret;

/** The processes that support TLS for calls between them. */
const able = (process: keyof typeof settingTables) =>
  Object.hasOwn(settingTables[process], 'tlsCert');

test('cert-manager makes a client and server certificate for each workload, with the names it is called by', {
  skip: chart.skip,
}, async () => {
  const certificates = objectsOf(
    await chart.render({ file: 'ci/certmanager-values.yaml' }),
    'Certificate',
  );
  assert.deepEqual(
    certificates.map(({ metadata }) => metadata.name).sort(),
    Object.keys(workloads)
      .map((name) => `bailiwick-${name}`)
      .sort(),
  );
  for (const { metadata, spec } of certificates) {
    const { secretName, issuerRef, usages, dnsNames } = spec as unknown as Certificate;
    assert.equal(secretName, `${metadata.name}-tls`);
    assert.deepEqual([issuerRef.name, issuerRef.kind], ['cluster-ca', 'ClusterIssuer']);
    assert.deepEqual(usages, ['digital signature', 'server auth', 'client auth']);
    assert.ok(dnsNames.includes(`${metadata.name}.test.svc.cluster.local`), metadata.name);
  }
  const identity = certificates.find(({ metadata }) => metadata.name === 'bailiwick-identity')
    ?.spec as unknown as Certificate;
  assert.ok(identity.dnsNames.includes('bailiwick-identity-grpc.test.svc.cluster.local'));
});

test('a certificate is mounted at the paths in the process’s settings, and calls use https', {
  skip: chart.skip,
}, async () => {
  for (const [file, secretOf] of [
    ['ci/certmanager-values.yaml', (name: string) => `bailiwick-${name}-tls`],
    [
      'ci/existing-tls-values.yaml',
      (name: string) => (name === 'gateway' ? 'gateway-certificate' : 'certificate'),
    ],
  ] as const) {
    for (const { name, pod } of configuredPods(await chart.render({ file }))) {
      const process = workloads[name];
      if (process === undefined || !able(process)) {
        assert.equal(certificateOf(pod), undefined, name);
        continue;
      }
      assert.deepEqual(
        certificateOf(pod),
        {
          name: secretOf(name),
          items: ['tls.crt', 'tls.key', 'ca.crt'].map((key) => ({ key, path: `tls/${key}` })),
        },
        name,
      );
      const files = ['CERT', 'KEY', 'CA'].map((part) =>
        variableOf(pod, `BAILIWICK_TLS_${part}_FILE`),
      );
      assert.deepEqual(
        files,
        ['tls.crt', 'tls.key', 'ca.crt'].map((file) => `/run/bailiwick/tls/${file}`),
        name,
      );
      const urls = (containerOf(pod).env ?? []).filter((one) =>
        /^BAILIWICK_(IDENTITY|ACCESS|SSO|NOTIFICATIONS)_URL$/.test(one.name),
      );
      for (const { value } of urls) assert.match(value ?? '', /^https:/, name);
    }
  }
});

test('a Service declares its application protocol', { skip: chart.skip }, async () => {
  const protocols = async (file: string) =>
    Object.fromEntries(
      objectsOf(await chart.render({ file }), 'Service').flatMap(({ metadata, spec }) =>
        (spec?.ports ?? []).map(({ name, appProtocol }) => [
          `${metadata.name} ${name}`,
          appProtocol,
        ]),
      ),
    );
  const plain = await protocols('minimal');
  assert.deepEqual(
    [
      plain['bailiwick-access http'],
      plain['bailiwick-access-grpc grpc'],
      plain['bailiwick-gateway http'],
    ],
    ['http', 'kubernetes.io/h2c', 'http'],
  );
  const secure = await protocols('ci/certmanager-values.yaml');
  assert.deepEqual(
    [
      secure['bailiwick-access http'],
      secure['bailiwick-access-grpc grpc'],
      secure['bailiwick-gateway http'],
    ],
    ['https', 'https', 'http'],
  );
  assert.equal(secure['bailiwick-access admin'], 'http');
});

test('without TLS the chart has no certificate, and calls use http', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'minimal' });
  assert.deepEqual(objectsOf(objects, 'Certificate'), []);
  for (const { name, pod } of configuredPods(objects)) {
    assert.equal(certificateOf(pod), undefined, name);
    if (workloads[name] && able(workloads[name]))
      assert.equal(variableOf(pod, 'BAILIWICK_TLS_CERT_FILE'), '', name);
  }
});

test('every process and the migrations trust the installation’s own CAs', {
  skip: chart.skip,
}, async () => {
  for (const { name, pod } of configuredPods(
    await chart.render({ file: 'ci/existing-tls-values.yaml' }),
  )) {
    const mount = containerOf(pod).volumeMounts.find(
      ({ mountPath }) =>
        mountPath === (name === 'migrations' ? '/run/migrations' : '/run/bailiwick'),
    );
    const volume = pod.spec.volumes.find((one) => one.name === mount?.name);
    const trusted = volume?.projected?.sources.find(
      ({ secret }) => secret?.name === 'trust',
    )?.secret;
    assert.deepEqual(trusted?.items, [{ key: 'ca.crt', path: 'trust.crt' }], name);
    assert.equal(variableOf(pod, 'NODE_EXTRA_CA_CERTS'), `${mount?.mountPath}/trust.crt`, name);
  }
});
