import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { RequestFailed } from './failure.ts';
import { createPools } from './pools.ts';
import { request } from './request.ts';
import { egressRules } from './rules.ts';

const limits = { totalMs: 5000, answerBytes: 16 * 1024 };
const pools = createPools({ connectMs: 500, ...limits });
const egress = egressRules({ hosts: [], cidrs: ['127.0.0.0/8'], ports: [] });

const proceed = 'HTTP/1.1 100 Continue\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
const body = 'HTTP/1.1 100 Continue';
const final = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** The receiver's answer for each path, one write for each part. */
const answers: Record<string, readonly string[]> = {
  '/apart': [proceed, final],
  '/together': [proceed + final],
  '/twice': [proceed + hints + proceed, final],
  '/bytes': (proceed + final).split(''),
  '/plain': [final],
  '/endless': [`HTTP/1.1 100 Continue\r\nx: ${'x'.repeat(80_000)}`],
  '/flood': [proceed.repeat(50) + final],
  '/garbage': ['no'],
};

async function write(socket: Socket, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    await new Promise<void>((resolve) => socket.write(part, () => setImmediate(resolve)));
  }
}

const server = createServer((socket) => {
  socket.on('error', () => {}).setNoDelay();
  socket.on('data', (chunk) => {
    const path = /^POST (\S+)/.exec(chunk.toString())?.[1];
    if (path) void write(socket, answers[path] ?? []);
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(async () => {
  await pools.close();
  server.close();
});

const post = (path: string) =>
  request(
    { pools, egress },
    {
      method: 'POST',
      url: origin + path,
      headers: {},
      body: new Uint8Array([123, 125]),
      limits,
      signal: new AbortController().signal,
    },
  );

describe('a receiver that sends 100 Continue although nothing asks for it', () => {
  for (const path of ['/apart', '/together', '/twice', '/bytes', '/plain'])
    test(`is answered to: ${path.slice(1)}`, async () => {
      for (let time = 0; time < 2; time++) {
        const answer = await post(path);
        assert.deepEqual([answer.status, answer.body.toString()], [200, body]);
      }
    });

  for (const path of ['/endless', '/flood'])
    test(`is limited as before: ${path.slice(1)}`, async () => {
      await assert.rejects(
        post(path),
        (error) => error instanceof RequestFailed && error.failure === 'response_too_large',
      );
    });

  test('is not waited for if the answer is not HTTP', async () => {
    const began = Date.now();
    await assert.rejects(
      post('/garbage'),
      (error) => error instanceof RequestFailed && error.failure === 'connection_reset',
    );
    assert.ok(Date.now() - began < limits.totalMs);
  });
});
