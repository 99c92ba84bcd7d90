import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import process from 'node:process';
import { test } from 'node:test';
import { ConfigurationError, createLog } from '@bailiwick/process';
import { createOwnTokens } from './own-tokens.ts';
import { openPeers } from './peers.ts';

const pem = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
}).privateKey;
const callerKey = { path: 'caller.key', content: pem, read: () => pem };
const log = createLog('test', () => {});
const rpcContext = { tls: undefined, log, tokens: createOwnTokens(log) };

test('openPeers reports every address that does not fit the protocol', async () => {
  const http = { identity: 'dns:///identity:8081', access: 'http://access:8080', sso: 'sso:8080' };
  await assert.rejects(
    openPeers('gateway', { rpc: 'http', callerKey }, http, rpcContext),
    (error: Error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(
        error.message,
        /BAILIWICK_IDENTITY_URL must be like http:\/\/identity:8080 with BAILIWICK_RPC=http\n.*BAILIWICK_SSO_URL/,
      );
      assert.doesNotMatch(error.message, /ACCESS/);
      return true;
    },
  );
  await assert.rejects(
    openPeers('gateway', { rpc: 'grpc', callerKey }, { access: 'http://access:8080' }, rpcContext),
    /BAILIWICK_ACCESS_URL must be like dns:/,
  );
  const { access } = await openPeers(
    'gateway',
    { rpc: 'grpc', callerKey },
    { access: 'ipv4:127.0.0.1:1,127.0.0.1:2' },
    rpcContext,
  );
  await access.close();
});

/** Which packages a process loads when it opens its peers. */
function loads(rpc: string, url: string): { grpc: boolean; connectNode: boolean } {
  const script = `
    import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ resolve: (specifier, context, next) => (seen.add(specifier), next(specifier, context)) });
    const { openPeers } = await import('${new URL('peers.ts', import.meta.url).href}');
    await import('${new URL('mod.ts', import.meta.url).href}');
    const content = process.env.CALLER_KEY;
    const callerKey = { path: 'caller.key', content, read: () => content };
    const { createOwnTokens } = await import('${new URL('mod.ts', import.meta.url).href}');
    const hop = { tls: undefined, log: console, tokens: createOwnTokens(console) };
    const { access } = await openPeers('gateway', { rpc: '${rpc}', callerKey }, { access: '${url}' }, hop);
    await access.close();
    console.log(JSON.stringify({ grpc: seen.has('@grpc/grpc-js'), connectNode: seen.has('@connectrpc/connect-node') }));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    {
      encoding: 'utf8',
      env: { ...process.env, CALLER_KEY: pem },
    },
  );
  assert.ok(stdout, stderr);
  return JSON.parse(stdout) as { grpc: boolean; connectNode: boolean };
}

const unseen = process.versions['deno'] !== undefined && 'loading is observed with a Node hook';

test('a process does not load grpc-js with http, nor connect-node before a client needs it', {
  skip: unseen,
}, () => {
  assert.deepEqual(loads('http', 'http://access:8080'), { grpc: false, connectNode: false });
  assert.deepEqual(loads('grpc', 'dns:///access:8081'), { grpc: true, connectNode: false });
});
