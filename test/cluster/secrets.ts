import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureSecrets, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import { workloads } from '../chart/manifests.ts';
import { createAuthority } from '../tls/authority.ts';
import { loadValues } from './load.ts';
import { smallRequests } from './options.ts';
import type { Stores } from './outside-stores.ts';
import type { Release } from './release.ts';
import { hostOf } from './tools.ts';

// What an operator does before the installation: the Secrets that the chart's README names, and the
// values that name them.

const secret = (name: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
});

export async function secretsFor(stores: Stores, namespace: string): Promise<object[]> {
  const authority = await createAuthority();
  const hosts = Object.keys(workloads)
    .flatMap((name) => [`bailiwick-${name}`, `bailiwick-${name}-grpc`])
    .map((name) => hostOf(name, namespace));
  const { cert, key } = await authority.issue({ hosts });
  return [
    secret('keys', keys()),
    secret('database', { url: stores.databaseUrl }),
    secret('migrations', { url: stores.migrationsUrl }),
    secret('broker', { url: stores.brokerUrl }),
    secret('mail', { 'smtp-url': stores.mailUrl }),
    secret('certificate', { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.ca }),
  ];
}

/** The values of a release that uses those Secrets. */
export const valuesWith = (stores: Stores, { url, cluster }: Release): string[] => [
  ...smallRequests,
  ...loadValues(cluster.namespace),
  `publicUrl=${url}`,
  'secrets.existingSecret=keys',
  'database.existingSecret=database',
  'database.migrations.existingSecret=migrations',
  'nats.existingSecret=broker',
  `nats.monitoring=${stores.monitoring}`,
  'mail.existingSecret=mail',
  'mail.from=Bailiwick <no-reply@example.com>',
  'config.databasePool=5',
  `config.egressAllowHosts[2]=${stores.hostOf('bailiwick-inbox')}`,
  ...['database.to[0]', 'nats.to[0]', 'mail.to[0]', 'receivers.to[1]'].map(
    (peer) =>
      `networkPolicy.${peer}.namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=${stores.namespace}`,
  ),
  'networkPolicy.mail.ports[0]=1025',
  'networkPolicy.receivers.ports[1]=8025',
];

function keys(): Record<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-keys-'));
  try {
    const secrets = ensureSecrets(folder);
    const read = (file: string) => readFileSync(file, 'utf8');
    return {
      'key-ring': read(secrets.keyRingFile),
      'platform-key': read(secrets.platformKeyFile),
      'worker-token': read(secrets.workerTokenFile),
      ...Object.fromEntries(
        serviceNames.flatMap((name) => [
          [`${name}.key`, read(secrets.callerKeyFile(name))],
          [`${name}.pub`, read(path.join(secrets.publicKeysDir, `${name}.pub`))],
        ]),
      ),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
