import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenHttp } from '@bailiwick/process';
import { createHolder } from './large-bodies.ts';

test('unfinished large bodies hold a limited number of bytes, and small bodies are still read', async (t) => {
  const holder = createHolder({ total: 1_600_000, perNetwork: 1_000_000 });
  const listener = await listenHttp('127.0.0.1', 0, async (request, response) => {
    const hold = holder(response, String(request.headers['x-network']));
    try {
      for await (const piece of request) hold(piece as Buffer);
      response.end('ok');
    } catch {
      response.writeHead(response.closed ? 400 : 429, { connection: 'close' }).end();
    }
  });
  const clients: Socket[] = [];
  t.after(async () => {
    for (const client of clients) client.destroy();
    await listener.drain();
  });

  /** Sends a body except for its last byte. */
  function begin(size: number, network = '192.0.2.1') {
    const client = connect(listener.port, '127.0.0.1').on('error', () => undefined);
    clients.push(client);
    client.write(
      `POST / HTTP/1.1\r\nhost: a\r\nx-network: ${network}\r\ncontent-length: ${size}\r\n\r\n`,
    );
    client.write(Buffer.alloc(size - 1, 32));
    const status = new Promise<number>((resolve) =>
      client.once('data', (chunk) => resolve(Number(chunk.toString().split(' ')[1]))),
    );
    return { client, status, end: () => (client.write(' '), status) };
  }

  const large = Array.from({ length: 12 }, () => begin(200_000));
  assert.equal(await Promise.race(large.map(({ status }) => status)), 429);
  assert.equal(await begin(60_000).end(), 200);
  assert.equal(
    await begin(200_000, '198.51.100.1').end(),
    200,
    'another network has bytes of its own',
  );
  const answers = await Promise.all(large.map(({ end }) => end()));
  const accepted = answers.filter((status) => status === 200).length;
  assert.ok(accepted >= 1 && accepted <= 5, answers.join());
  // Answered and aborted requests release their bytes.
  for (const { client } of Array.from({ length: 4 }, () => begin(200_000)))
    setTimeout(() => client.destroy(), 50);
  await sleep(300);
  for (let count = 0; count < 10; count++) assert.equal(await begin(200_000).end(), 200);
});
