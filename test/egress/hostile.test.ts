import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPools, egressRules, type Pools } from '@bailiwick/egress';
import { limits, send } from '@bailiwick/notifications/sending/send.ts';
import { answersTwice, misbehaviours, type Receivers, startReceivers } from './receivers.ts';

const short = { ...limits, totalMs: 700, connectMs: 400 };
const host = '127.0.1.1';
const egress = egressRules({ hosts: [], cidrs: ['127.0.1.0/24'], ports: [] });
const post = (pools: Pools, url: string) =>
  send(
    { pools, egress },
    { url, headers: {}, body: Buffer.from('{}'), signal: new AbortController().signal },
    short,
  );

describe('an attempt ends in time, with the documented error, if the receiver answers with', () => {
  let receivers: Receivers;
  let pools: Pools;
  before(async () => {
    receivers = await startReceivers(host, 40);
    pools = createPools({ ...short });
  });
  after(async () => {
    await pools?.close();
    await receivers?.stop();
  });

  for (const [path, { error }] of Object.entries(misbehaviours)) {
    test(path.replaceAll('-', ' '), async () => {
      const before = receivers.connections;
      const started = Date.now();
      const outcome = await post(pools, `${receivers.origin}/${path}`);
      assert.equal(outcome.error, error, outcome.message);
      assert.ok(Date.now() - started < short.totalMs + 2000, `${Date.now() - started} ms`);
      assert.ok(
        receivers.connections - before <= 1,
        `${receivers.connections - before} connections`,
      );
    });
  }
});

test('an unsolicited answer closes the connection, and is not taken as the answer to the next request', async () => {
  for (const [trick, { error }] of Object.entries(answersTwice)) {
    const receivers = await startReceivers(host, 40);
    const pools = createPools({ ...short });
    assert.equal((await post(pools, `${receivers.origin}/${trick}`)).error, error);
    // An answer that arrives after the next request was sent looks like its own, and only affects
    // that receiver.
    for (const deadline = Date.now() + 5000; receivers.open() > 0 && Date.now() < deadline; )
      await sleep(10);
    assert.equal(receivers.open(), 0, trick);
    const next = await post(pools, `${receivers.origin}/told-to-wait-for-ever`);
    assert.deepEqual([next.statusCode, next.error], [503, 'http_status'], trick);
    assert.equal(receivers.connections, 2);
    await pools.close();
    await receivers.stop();
  }
});

/** Misbehaviour of an `https` receiver before TLS. egress/tls.test.ts tests certificates. */
const beforeTls: Record<string, { error: string; does: (socket: Socket) => void }> = {
  'never says a word': { error: 'timeout', does: () => {} },
  'hangs up at once': { error: 'connection_reset', does: (socket) => socket.end() },
  'resets at once': { error: 'connection_reset', does: (socket) => socket.resetAndDestroy() },
  'resets in the handshake': {
    error: 'connection_reset',
    does: (socket) => socket.once('data', () => socket.resetAndDestroy()),
  },
  'hangs up in the handshake': {
    error: 'connection_reset',
    does: (socket) => socket.once('data', () => socket.end()),
  },
  'speaks plain HTTP': {
    error: 'tls_error',
    does: (socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
  },
  'drips the handshake': {
    error: 'timeout',
    does: (socket) => {
      // A server's hello of 16 KiB, of which only the beginning arrives.
      socket.write(Buffer.from([22, 3, 3, 64, 0]));
      const timer = setInterval(() => socket.write(Buffer.from([2])), 40);
      socket.once('close', () => clearInterval(timer));
    },
  },
  'pours out noise': {
    error: 'tls_error',
    does: (socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024, 'x')));
      };
      socket.on('drain', more);
      more();
    },
  },
};

describe('an attempt over TLS ends in time, with the documented error, if the receiver', () => {
  for (const [what, { error, does }] of Object.entries(beforeTls)) {
    test(what, async () => {
      let connections = 0;
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        connections += 1;
        sockets.add(socket.on('error', () => {}));
        does(socket);
      });
      await new Promise<void>((resolve) => server.listen(0, host, resolve));
      const pools = createPools({ ...short });
      const started = Date.now();
      const outcome = await post(
        pools,
        `https://${host}:${(server.address() as AddressInfo).port}/`,
      );
      assert.equal(outcome.error, error);
      assert.ok(Date.now() - started < short.totalMs + 2000, `${Date.now() - started} ms`);
      assert.equal(connections, 1);
      await pools.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    });
  }
});
