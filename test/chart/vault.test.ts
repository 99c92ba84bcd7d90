import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openChart } from './helm.ts';
import { configuredPods, containerOf, type Pod } from './manifests.ts';

const chart = await openChart();

const valueOf = (pod: Pod, variable: string) =>
  containerOf(pod).env?.find(({ name }) => name === variable)?.value;
const sourcesOf = (pod: Pod) =>
  pod.spec.volumes.flatMap(({ projected }) => projected?.sources ?? []);
const tokensOf = (pod: Pod) =>
  sourcesOf(pod).flatMap(({ serviceAccountToken }) =>
    serviceAccountToken ? [serviceAccountToken.path] : [],
  );

/** The services that seal with data keys. */
const isSealing = (name: string) =>
  name === 'identity' || name === 'sso' || name.startsWith('notifications');

test('the pods that seal with data keys sign in to Vault with a token of their own, and no other pod gets one', {
  skip: chart.skip,
}, async () => {
  const set = [
    'config.keyService=vault',
    'config.vaultUrl=https://vault.example.com',
    'config.vaultKubernetesRole=bailiwick',
  ];
  let count = 0;
  for (const { name, pod } of configuredPods(await chart.render({ file: 'minimal', set }))) {
    const isOne = isSealing(name);
    if (isOne) count++;
    assert.deepEqual(tokensOf(pod), isOne ? ['vault-jwt'] : [], name);
    assert.equal(
      valueOf(pod, 'BAILIWICK_VAULT_KUBERNETES_JWT_FILE'),
      isOne ? '/run/bailiwick/vault-jwt' : undefined,
    );
    assert.equal(valueOf(pod, 'BAILIWICK_VAULT_TOKEN_FILE'), isOne ? '' : undefined);
  }
  assert.equal(count, 5);
});

test('a single workload can sign in to Vault', { skip: chart.skip }, async () => {
  const set = [
    'keyService=vault',
    'vaultUrl=https://vault.example.com',
    'vaultKubernetesRole=sso',
  ].map((setting) => `services.sso.config.${setting}`);
  const pods = configuredPods(await chart.render({ file: 'minimal', set }));
  assert.deepEqual(
    pods.filter(({ pod }) => tokensOf(pod).length > 0).map(({ name }) => name),
    ['sso'],
  );
});

test('a token and CA certificates for Vault come from Secrets of their own', {
  skip: chart.skip,
}, async () => {
  const set = [
    'config.keyService=vault',
    'config.vaultUrl=https://vault.example.com',
    'vault.token.existingSecret=vault',
    'vault.ca.existingSecret=vault-ca',
  ];
  for (const { name, pod } of configuredPods(await chart.render({ file: 'minimal', set })).filter(
    (one) => isSealing(one.name),
  )) {
    const mounted = sourcesOf(pod).flatMap(({ secret }) =>
      secret?.name.startsWith('vault') ? [`${secret.name}/${secret.items[0]?.key}`] : [],
    );
    assert.deepEqual(mounted.sort(), ['vault-ca/ca.crt', 'vault/vault-token'], name);
    assert.equal(valueOf(pod, 'BAILIWICK_VAULT_TOKEN_FILE'), '/run/bailiwick/vault-token');
    assert.equal(valueOf(pod, 'BAILIWICK_VAULT_CA_FILE'), '/run/bailiwick/vault-ca');
    assert.deepEqual(tokensOf(pod), []);
  }
});
