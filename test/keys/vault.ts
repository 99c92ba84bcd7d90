import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

// A fake of the part of Vault's HTTP API that the product uses, with real keys: data encrypted
// under one version and context opens only under those.
// https://developer.hashicorp.com/vault/api-docs/secret/transit

export type Vault = Awaited<ReturnType<typeof startVault>>;

type Body = Record<string, unknown>;
type Answer = { status: number; body: Body };

const refused = (status: number, ...errors: string[]): Answer => ({ status, body: { errors } });
const success = (data: Body): Answer => ({
  status: 200,
  body: { request_id: randomUUID(), lease_id: '', data, auth: null },
});
const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : '', 'base64');

/** Starts a fake Vault with the key `bailiwick` in the engine `transit`. */
export async function startVault({ namespace = '', type = 'aes256-gcm96' } = {}) {
  const versions = [randomBytes(32)];
  const tokens = new Set(['first-token']);
  const calls: Array<{ path: string; headers: IncomingMessage['headers'] }> = [];
  const state = {
    oldest: 1,
    sealed: false,
    stuck: false,
    failing: 0,
    role: 'bailiwick',
    jwt: 'pod-jwt',
    leaseSeconds: 3600,
  };

  function encrypt({ plaintext, associated_data: associated }: Body): Answer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', versions.at(-1) ?? '', nonce).setAAD(
      bytesOf(associated),
    );
    const blob = Buffer.concat([
      nonce,
      cipher.update(bytesOf(plaintext)),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return success({
      ciphertext: `vault:v${versions.length}:${blob.toString('base64')}`,
      key_version: versions.length,
    });
  }

  function decrypt({ ciphertext, associated_data: associated }: Body): Answer {
    const [, version = '', encoded = ''] = /^vault:v(\d+):(.+)$/.exec(String(ciphertext)) ?? [];
    const key = versions[Number(version) - 1];
    if (!key) return refused(400, 'invalid ciphertext: no prefix');
    if (Number(version) < state.oldest)
      return refused(400, 'ciphertext or signature version is disallowed by policy (too old)');
    const blob = bytesOf(encoded);
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12))
        .setAAD(bytesOf(associated))
        .setAuthTag(blob.subarray(-16));
      return success({
        plaintext: Buffer.concat([
          decipher.update(blob.subarray(12, -16)),
          decipher.final(),
        ]).toString('base64'),
      });
    } catch {
      return refused(400, 'cipher: message authentication failed');
    }
  }

  function login({ role, jwt }: Body): Answer {
    if (role !== state.role || jwt !== state.jwt) return refused(403, 'permission denied');
    const token = `login-${randomUUID()}`;
    tokens.add(token);
    return {
      status: 200,
      body: { auth: { client_token: token, lease_duration: state.leaseSeconds, renewable: true } },
    };
  }

  function answer(path: string, headers: IncomingMessage['headers'], body: Body): Answer {
    if (state.sealed) return refused(503, 'Vault is sealed');
    if (state.failing > 0) {
      state.failing--;
      return refused(500, 'internal error');
    }
    if (namespace !== '' && headers['x-vault-namespace'] !== namespace)
      return refused(404, `no handler for route ${path}`);
    if (path === 'POST auth/kubernetes/login') return login(body);
    if (!tokens.has(String(headers['x-vault-token']))) return refused(403, 'permission denied');
    if (path === 'POST transit/encrypt/bailiwick') return encrypt(body);
    if (path === 'POST transit/decrypt/bailiwick') return decrypt(body);
    if (path === 'GET transit/keys/bailiwick')
      return success({
        name: 'bailiwick',
        type,
        latest_version: versions.length,
        min_decryption_version: state.oldest,
        min_encryption_version: 0,
      });
    return refused(403, 'permission denied');
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = `${request.method} ${request.url?.replace('/v1/', '')}`;
    calls.push({ path, headers: request.headers });
    const input = await text(request);
    if (state.stuck) return;
    const { status, body } = answer(
      path,
      request.headers,
      input === '' ? {} : (JSON.parse(input) as Body),
    );
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token: 'first-token',
    calls,
    tokens,
    /**
     * sealed: answers 503; stuck: accepts requests without an answer; failing: the number of 500
     * answers; oldest: min_decryption_version.
     */
    state,
    rotate: () => versions.push(randomBytes(32)),
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
