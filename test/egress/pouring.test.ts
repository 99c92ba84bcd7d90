import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { createPools, egressRules, type Pools } from '@bailiwick/egress';
import { limits, send } from '@bailiwick/notifications/sending/send.ts';
import { createAuthority } from '../tls/authority.ts';
import { type ProxyServer, startProxy } from './proxy-server.ts';

// Receivers that send bytes which the HTTP parser skips without counting them as headers or body.
// They send 3 MB/s in chunks of 16 KiB, slow enough to distinguish the bytes that the client has
// read from those that the receiver has sent.

const ok = 'HTTP/1.1 200 OK\r\n';
const chunk = Buffer.alloc(16 * 1024, 'x');
const blankLines = Buffer.from('\r\n'.repeat(chunk.length / 2));
const chunkMs = 5;

/**
 * 64 KiB for one answer, two reads of 64 KiB beyond it, and the bytes sent while the reset is on
 * its way.
 */
const mostSent = 512 * 1024;

type Pour = { head: string; filler: Buffer; afterMs?: number };

const pours: Record<string, Pour> = {
  'chunk-extension': { head: `${ok}transfer-encoding: chunked\r\n\r\n1;`, filler: chunk },
  'reason-phrase': { head: 'HTTP/1.1 200 ', filler: chunk },
  'blank-lines': { head: '', filler: blankLines },
};
/** The answer is complete, and the connection is kept alive. */
const afterAnswer: Pour = {
  head: `${ok}content-length: 0\r\n\r\n`,
  filler: blankLines,
  afterMs: 50,
};

const authority = await createAuthority();
const certificate = await authority.issue({ hosts: ['127.0.1.1'] });
const egress = egressRules({ hosts: [], cidrs: ['127.0.1.0/24'], ports: [] });
const canTrust = 'setDefaultCACertificates' in tls;

for (const scheme of ['http', 'https'] as const)
  for (const isProxied of [false, true]) {
    const skip = scheme === 'https' && !canTrust ? 'this runtime cannot trust a further CA' : false;
    describe(`over ${scheme}${isProxied ? ' through the egress proxy' : ''}`, { skip }, () => {
      let server: Server;
      let proxy: ProxyServer | undefined;
      let pools: Pools;
      let trusted: string[];
      let connections = 0;
      let bytes = 0;
      const open = new Set<Socket>();

      before(async () => {
        trusted = canTrust ? tls.getCACertificates() : [];
        if (canTrust) tls.setDefaultCACertificates([...trusted, authority.ca]);
        server = scheme === 'https' ? tls.createServer(certificate, serve) : createServer(serve);
        await new Promise<void>((resolve) => server.listen(0, '127.0.1.1', resolve));
        proxy = isProxied ? await startProxy() : undefined;
        pools = createPools({ ...limits, totalMs: 15_000, proxy: proxy?.url ?? '' });
      });
      after(async () => {
        await pools?.close();
        for (const socket of open) socket.destroy();
        server?.close();
        await proxy?.stop();
        if (canTrust) tls.setDefaultCACertificates(trusted);
      });

      function serve(socket: Socket): void {
        connections += 1;
        open.add(socket);
        socket.on('error', () => {}).once('close', () => open.delete(socket));
        socket.on('data', (chunk) => {
          const [, path = ''] = /^POST \/([a-z-]+)/.exec(chunk.toString('latin1')) ?? [];
          if (path === 'good')
            socket.write(`${ok}content-length: 12288\r\n\r\n${'x'.repeat(12_288)}`);
          if (path === 'tiny-records') void drip(socket);
          const poured = path === 'after-answer' ? afterAnswer : pours[path];
          if (poured) void pour(socket, poured);
        });
      }
      async function pour(socket: Socket, { head, filler, afterMs = 0 }: Pour): Promise<void> {
        socket.write(head);
        await sleep(afterMs);
        for (; !socket.destroyed; await sleep(chunkMs)) {
          socket.write(filler);
          bytes += filler.length;
        }
      }
      /** Sends each byte in a TLS record of its own, some 22 bytes on the wire. */
      async function drip(socket: Socket): Promise<void> {
        socket.write(`${ok}transfer-encoding: chunked\r\n\r\n1;`);
        for (; !socket.destroyed; await sleep(1)) {
          for (let count = 0; count < 20; count++) socket.write('x');
          bytes += 20;
        }
      }

      const post = (path: string, to: Server = server) => {
        const url = `${scheme}://127.0.1.1:${(to.address() as AddressInfo).port}/${path}`;
        const request = {
          url,
          headers: {},
          body: Buffer.from('{}'),
          signal: new AbortController().signal,
        };
        return send({ pools, egress }, request, { ...limits, totalMs: 15_000 });
      };
      const closed = async () => {
        for (const deadline = Date.now() + 3000; open.size > 0 && Date.now() < deadline; )
          await sleep(10);
        assert.equal(open.size, 0, 'the connection is closed');
      };

      for (const path of Object.keys(pours)) {
        test(`an answer with an endless ${path} ends as response_too_large, within two reads of the limit`, async () => {
          bytes = 0;
          assert.equal((await post(path)).error, 'response_too_large');
          await closed();
          assert.ok(bytes < mostSent, `${bytes} bytes were read`);
        });
      }

      test('bytes that arrive while no request is in flight close the connection within two reads of the limit', async () => {
        bytes = 0;
        assert.equal((await post('after-answer')).status, 'delivered');
        await closed();
        assert.ok(bytes < mostSent, `${bytes} bytes were read`);
      });

      test('every answer on a kept-alive connection has the whole limit', async () => {
        connections = 0;
        // The pool uses another connection while it still releases the one of the last answer.
        for (let count = 0; count < 20; count++, await sleep(5))
          assert.equal((await post('good')).status, 'delivered');
        assert.equal(connections, 1);
      });

      test('an endless TLS handshake closes the connection', {
        skip: scheme === 'http',
      }, async () => {
        // OpenSSL skips each of these empty HelloRequest messages.
        const records = Buffer.concat(
          Array.from({ length: 1800 }, () => Buffer.from('160303000400000000', 'hex')),
        );
        let ended: Promise<unknown> | undefined;
        const pourer = createServer((socket) => {
          ended = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
          socket.once('data', () => void pour(socket, { head: '', filler: records }));
        });
        await new Promise<void>((resolve) => pourer.listen(0, '127.0.1.1', resolve));
        bytes = 0;
        const answer = await post('', pourer);
        pourer.close();
        assert.notEqual(answer.status, 'delivered');
        await ended;
        assert.ok(bytes < 2 * mostSent, `${bytes} bytes were read`);
      });

      test('TLS overhead counts towards the limit', { skip: scheme === 'http' }, async () => {
        bytes = 0;
        assert.equal((await post('tiny-records')).error, 'response_too_large');
        await closed();
        assert.ok(bytes < 40_000, `${bytes} bytes within TLS were read`);
      });
    });
  }
