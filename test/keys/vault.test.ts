import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  createVaultCalls,
  createVaultService,
  type KeyService,
  keyServiceSettings,
  openKeyService,
  parseKeyRing,
  tokenFromFile,
} from '@bailiwick/keys';
import { describe as describeError, readSettings } from '@bailiwick/process';
import { startVault, type Vault } from './vault.ts';

const ring = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);
const context = ['tnt_a', 'dek_1'];
const dataKey = randomBytes(32);

type VaultStage = {
  vault: Vault;
  open: (environment?: Record<string, string>) => KeyService;
  tokenFile: string;
  quick: KeyService;
};

/**
 * A Vault with its token in a file, and a function that makes key services from settings. `quick`
 * waits 200 ms for an answer.
 */
async function start(
  t: TestContext,
  options: Parameters<typeof startVault>[0] = {},
): Promise<VaultStage> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-vault-'));
  const tokenFile = path.join(folder, 'token');
  const vault = await startVault(options);
  writeFileSync(tokenFile, `${vault.token}\n`);
  const opened: KeyService[] = [];
  const open = (
    environment: Record<string, string> = { BAILIWICK_VAULT_TOKEN_FILE: tokenFile },
  ) => {
    const settings = readSettings(keyServiceSettings, {
      BAILIWICK_KEY_SERVICE: 'vault',
      BAILIWICK_VAULT_URL: vault.url,
      ...environment,
    });
    const service = openKeyService(settings, ring);
    opened.push(service);
    return service;
  };
  const calls = createVaultCalls({
    url: vault.url,
    namespace: '',
    ca: '',
    token: tokenFromFile(tokenFile),
    timeoutMs: 200,
  });
  const quick = createVaultService({ calls, mount: 'transit', key: 'bailiwick' });
  t.after(async () => {
    await Promise.all([...opened, quick].map((service) => service.close()));
    await vault.stop();
    rmSync(folder, { recursive: true });
  });
  return { vault, open, tokenFile, quick };
}

test('a data key that Vault wrapped unwraps only in its own context, under every version', async (t) => {
  const { vault, open } = await start(t);
  const service = open();
  const first = await service.wrap(dataKey, context);
  assert.equal(first.kek, 'vault:transit/bailiwick:v1');
  vault.rotate();
  assert.equal(await service.current(), 'vault:transit/bailiwick:v2');
  const second = await service.wrap(dataKey, context);
  assert.equal(second.kek, 'vault:transit/bailiwick:v2');
  for (const wrapped of [first, second]) {
    assert.deepEqual(await service.unwrap(wrapped, context), dataKey);
    await assert.rejects(service.unwrap(wrapped, ['tnt_b', 'dek_1']), /refuses transit\/decrypt/);
    await assert.rejects(service.unwrap(wrapped, ['tnt_a', 'dek_2']), /refuses/);
  }
  await assert.rejects(service.unwrap({ ...first, kek: second.kek }, context), /not wrapped by/);
});

test('a version below Vault’s minimum opens nothing, and is no longer listed', async (t) => {
  const { vault, open } = await start(t);
  const service = open();
  const old = await service.wrap(dataKey, context);
  vault.rotate();
  assert.deepEqual(await service.keks(), [
    'vault:transit/bailiwick:v2',
    'vault:transit/bailiwick:v1',
    'k1',
  ]);
  vault.state.oldest = 2;
  assert.deepEqual(await service.keks(), ['vault:transit/bailiwick:v2', 'k1']);
  await assert.rejects(service.unwrap(old, context), /refuses/);
});

test('an installation switches from the ring to Vault and back, and opens keys that the other wrapped', async (t) => {
  const { open, tokenFile } = await start(t);
  const [vault, local] = [
    open(),
    open({ BAILIWICK_KEY_SERVICE: 'ring', BAILIWICK_VAULT_TOKEN_FILE: tokenFile }),
  ];
  const [byVault, byRing] = [
    await vault.wrap(dataKey, context),
    await local.wrap(dataKey, context),
  ];
  assert.equal(byRing.kek, 'k1');
  for (const service of [vault, local])
    for (const wrapped of [byVault, byRing])
      assert.deepEqual(await service.unwrap(wrapped, context), dataKey);
});

test('a transient failure is retried, and a permanent one is unavailable', async (t) => {
  const { vault, quick } = await start(t);
  vault.state.failing = 2;
  const wrapped = await quick.wrap(dataKey, context);
  vault.state.sealed = true;
  await assert.rejects(quick.unwrap(wrapped, context), { code: 'unavailable' });
  vault.state.sealed = false;
  vault.state.stuck = true;
  const started = Date.now();
  await assert.rejects(quick.unwrap(wrapped, context), { code: 'unavailable' });
  assert.ok(Date.now() - started < 5000, 'it does not wait for an answer that does not come');
  vault.state.stuck = false;
  assert.deepEqual(await quick.unwrap(wrapped, context), dataKey);
  await vault.stop();
  await assert.rejects(quick.unwrap(wrapped, context), { code: 'unavailable' });
});

test('a replaced token is read again, and no error contains a token', async (t) => {
  const { vault, open, tokenFile } = await start(t);
  const service = open();
  const wrapped = await service.wrap(dataKey, context);
  vault.tokens.delete(vault.token);
  const error: unknown = await service.unwrap(wrapped, context).catch((thrown: unknown) => thrown);
  assert.match(
    describeError(error),
    /unavailable[\s\S]*transit\/decrypt\/bailiwick[\s\S]*status 403: permission denied/,
  );
  for (const secret of [
    vault.token,
    dataKey.toString('base64'),
    Buffer.from(wrapped.wrapped).toString(),
  ])
    assert.ok(!describeError(error).includes(secret));
  vault.tokens.add('second-token');
  writeFileSync(tokenFile, 'second-token');
  assert.deepEqual(await service.unwrap(wrapped, context), dataKey);
  writeFileSync(tokenFile, '');
  vault.tokens.clear();
  await assert.rejects(service.unwrap(wrapped, context), { code: 'unavailable' });
});

test('a pod signs in with its own identity, once for concurrent callers, and again when its token expires', async (t) => {
  const { vault, open, tokenFile } = await start(t);
  const jwtFile = `${tokenFile}-jwt`;
  writeFileSync(jwtFile, 'pod-jwt\n');
  const pod = {
    BAILIWICK_VAULT_KUBERNETES_ROLE: 'bailiwick',
    BAILIWICK_VAULT_KUBERNETES_JWT_FILE: jwtFile,
  };
  const service = open(pod);
  const logins = () =>
    vault.calls.filter((call) => call.path === 'POST auth/kubernetes/login').length;
  const [wrapped] = await Promise.all([1, 2, 3].map(() => service.wrap(dataKey, context)));
  assert.ok(wrapped);
  assert.equal(logins(), 1);
  vault.tokens.clear();
  assert.deepEqual(await service.unwrap(wrapped, context), dataKey);
  assert.equal(logins(), 2);
  await assert.rejects(open({ ...pod, BAILIWICK_VAULT_KUBERNETES_ROLE: 'another' }).current(), {
    code: 'unavailable',
  });
});

test('a configured namespace is sent', async (t) => {
  const { open, tokenFile } = await start(t, { namespace: 'iam/prod' });
  const named = open({
    BAILIWICK_VAULT_TOKEN_FILE: tokenFile,
    BAILIWICK_VAULT_NAMESPACE: 'iam/prod',
  });
  assert.equal(await named.current(), 'vault:transit/bailiwick:v1');
  await assert.rejects(open().current(), { code: 'unavailable' });
});

test('a transit key that binds no context is rejected', async (t) => {
  const { open } = await start(t, { type: 'rsa-4096' });
  await assert.rejects(open().current(), /must be of one of the types/);
});

test('incomplete Vault settings prevent the start', () => {
  const open = (environment: Record<string, string>) => () =>
    openKeyService(readSettings(keyServiceSettings, environment), ring);
  assert.throws(open({ BAILIWICK_KEY_SERVICE: 'vault' }), /BAILIWICK_VAULT_URL is required/);
  assert.throws(
    open({ BAILIWICK_KEY_SERVICE: 'vault', BAILIWICK_VAULT_URL: 'http://127.0.0.1:1' }),
    /needs one of/,
  );
  assert.throws(open({ BAILIWICK_VAULT_URL: 'vault:8200' }), /BAILIWICK_VAULT_URL/);
  assert.throws(open({ BAILIWICK_VAULT_TRANSIT_KEY: '../sys' }), /BAILIWICK_VAULT_TRANSIT_KEY/);
});
