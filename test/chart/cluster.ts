import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

type Secret = { metadata: { name: string }; data?: Readonly<Record<string, string>> };

const api = (groupVersion: string, resources: readonly object[]) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources,
});

/**
 * Starts what Helm's `lookup` needs of a cluster: its kinds and the Secrets of every namespace. As whoever
 * installs may not read Namespaces, they are forbidden. Returns the path of its kubeconfig.
 */
export async function startCluster(t: TestContext, secrets: readonly Secret[]): Promise<string> {
  const secretsOf = '/api/v1/namespaces/test/secrets';
  const answers: Readonly<Record<string, object>> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    '/api/v1': api('v1', [
      { name: 'secrets', kind: 'Secret', namespaced: true, verbs: ['get', 'list'] },
      { name: 'namespaces', kind: 'Namespace', namespaced: false, verbs: ['get', 'list'] },
    ]),
    [secretsOf]: { kind: 'SecretList', apiVersion: 'v1', metadata: {}, items: secrets },
    ...Object.fromEntries(
      secrets.map((secret) => [
        `${secretsOf}/${secret.metadata.name}`,
        { kind: 'Secret', apiVersion: 'v1', ...secret },
      ]),
    ),
  };
  const server = createServer(({ url = '' }, response) => {
    const path = url.split('?')[0] ?? '';
    const answer = answers[path];
    const [code, reason] = path.startsWith(secretsOf) ? [404, 'NotFound'] : [403, 'Forbidden'];
    response.writeHead(answer === undefined ? code : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        answer ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason },
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-cluster-'));
  t.after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: address } }],
    users: [{ name: 'test', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
