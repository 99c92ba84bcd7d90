import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { before, type TestContext, test } from 'node:test';
import { type ConnectionOptions, connect } from 'node:tls';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { toServiceError } from '@bailiwick/errors';
import { createLog } from '@bailiwick/process';
import { createOwnTokens, openPeers } from '@bailiwick/wire';
import { type Authority, createAuthority } from './authority.ts';
import { type Client, clientOf, openEnd, serve, type WireServer, wires } from './ends.ts';

// Clients and servers that get no connection. Each is tried on both ports, and none of their calls
// may reach the handler.

let ours: Authority;
let strange: Authority;
before(async () => {
  [ours, strange] = await Promise.all([createAuthority(), createAuthority()]);
});

const endOf = async (t: TestContext, authority = ours, leaf = {}) =>
  openEnd(t, { ...(await authority.issue(leaf)), ca: ours.ca });

async function assertRefused(client: Client, { counts }: WireServer): Promise<void> {
  const failure = await client
    .save({ group: { tenant: 't', path: 'a' } }, { timeoutMs: 1500 })
    .then(() => assert.fail('the call succeeded'), toServiceError);
  assert.equal(failure.code, 'unavailable');
  assert.equal(counts.size, 0);
}

for (const wire of wires) {
  test(`processes with certificates of one CA call each other over ${wire}`, async (t) => {
    const service = await serve(t, await endOf(t));
    const client = clientOf(t, wire, await endOf(t), service);
    await client.save({ group: { tenant: 't', path: 'a' } });
    assert.deepEqual([...service.counts], [['a', 1]]);
  });

  test(`a client with a certificate of another CA is rejected over ${wire}`, async (t) => {
    const end = await endOf(t);
    const service = await serve(t, end);
    await assertRefused(clientOf(t, wire, await endOf(t, strange), service), service);
    assert.match(
      end.warnings().join(),
      /TLS connection with a client failed.*certificate rejected/,
    );
  });

  test(`a client with an expired certificate is rejected over ${wire}`, async (t) => {
    const service = await serve(t, await endOf(t));
    await assertRefused(
      clientOf(t, wire, await endOf(t, ours, { endsInMs: -1000 }), service),
      service,
    );
  });

  test(`a client rejects a service over ${wire} if its certificate is of another CA, has expired, or names another host`, async (t) => {
    for (const [authority, leaf] of [
      [strange, {}],
      [ours, { endsInMs: -1000 }],
      [ours, { hosts: ['access.example', '127.0.0.2'] }],
    ] as const) {
      const service = await serve(t, await endOf(t, authority, leaf));
      await assertRefused(clientOf(t, wire, await endOf(t), service), service);
    }
  });

  test(`a process without TLS and one with TLS cannot call each other over ${wire}`, async (t) => {
    const [end, plain] = [await endOf(t), { tls: undefined }];
    const [secure, open] = [await serve(t, end), await serve(t, plain)];
    await assertRefused(clientOf(t, wire, plain, secure), secure);
    await assertRefused(clientOf(t, wire, end, open), open);
  });
}

/** Unlike `once` of node:events, which also rejects on an error. */
const closing = (emitter: EventEmitter) =>
  new Promise<void>((resolve) => emitter.once('close', () => resolve()));

/** Everything that a client receives on a port after an HTTP request. */
async function hears(port: number, options: ConnectionOptions): Promise<string> {
  const socket = connect({ host: loopback, port, ca: ours.ca, ...options });
  let output = '';
  socket.on('error', () => {}).on('data', (chunk) => (output += String(chunk)));
  socket.write('GET /grpc.health.v1.Health/Check HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await closing(socket);
  return output;
}

test('a client without a certificate gets no answer on either port', async (t) => {
  const service = await serve(t, await endOf(t));
  assert.equal(await hears(service.port, {}), '');
  const session = connectHttp2(`https://${loopback}:${service.grpcPort}`, { ca: ours.ca });
  const request = session
    .on('error', () => {})
    .request({ ':path': '/grpc.health.v1.Health/Check', ':method': 'POST' });
  let isAnswered = false;
  request.on('response', () => (isAnswered = true)).on('error', () => {});
  await closing(request);
  session.destroy();
  assert.equal(isAnswered, false);
});

test('TLS before 1.3 is rejected, even with a valid certificate', async (t) => {
  const service = await serve(t, await endOf(t));
  const own = await ours.issue();
  assert.match(await hears(service.port, own), /^HTTP\/1\.1 /, 'it is served over 1.3');
  assert.equal(await hears(service.port, { ...own, maxVersion: 'TLSv1.2' }), '');
});

test('plain HTTP on the TLS port gets no answer', async (t) => {
  const service = await serve(t, await endOf(t));
  for (const port of [service.port, service.grpcPort]) {
    const socket = connectTcp(port, loopback);
    let output = '';
    socket.on('error', () => {}).on('data', (chunk) => (output += chunk.toString('latin1')));
    socket.write('HEAD / HTTP/1.1\r\nhost: x\r\n\r\n');
    await closing(socket);
    assert.doesNotMatch(output, /HTTP/);
  }
});

test('a process with TLS rejects peer addresses without it', async (t) => {
  const { tls } = await endOf(t);
  const pem = generateKeyPairSync('ed25519')
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  const callerKey = { path: 'caller.key', content: pem, read: () => pem };
  const log = createLog('test', () => {});
  const open = (url: string) =>
    openPeers(
      'gateway',
      { rpc: 'http', callerKey },
      { access: url },
      { tls, log, tokens: createOwnTokens(log) },
    );
  await assert.rejects(
    open('http://access:8080'),
    /BAILIWICK_ACCESS_URL must be like https:\/\/identity:8080 with BAILIWICK_RPC=http and TLS/,
  );
  await (await open('https://access:8080')).access.close();
});
