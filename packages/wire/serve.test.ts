import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:net';
import process from 'node:process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenHttp } from '@bailiwick/process';

const unseen = 'deno' in process.versions && 'Deno does not report that a response is not read';

test('a connection is closed if its client does not read the response', {
  skip: unseen,
}, async () => {
  let unread = 0;
  const listener = await listenHttp(
    '127.0.0.1',
    0,
    (_request, response) => {
      response.once('close', () => (unread += response.writableFinished ? 0 : 1));
      response.end(Buffer.alloc(64 * 1024 * 1024));
    },
    { stalledMs: 300 },
  );
  const client = connect(listener.port, '127.0.0.1').pause();
  await once(client, 'connect');
  client.write('GET / HTTP/1.1\r\n\r\n');
  for (let waited = 0; waited < 5000 && unread === 0; waited += 50) await sleep(50);
  const closed = unread;
  client.destroy();
  await listener.drain();
  assert.equal(closed, 1);
});

test('an idle connection stays open for its own time, whatever the limit of stalled ones is', async () => {
  const listener = await listenHttp('127.0.0.1', 0, (_request, response) => void response.end(), {
    stalledMs: 100,
    keepAliveMs: 60_000,
  });
  const client = connect(listener.port, '127.0.0.1');
  let answers = '';
  client.setEncoding('utf8').on('data', (text: string) => (answers += text));
  for (const count of [1, 2]) {
    client.write('GET / HTTP/1.1\r\n\r\n');
    for (let waited = 0; waited < 5000 && answers.split('200 OK').length <= count; waited += 20)
      await sleep(20);
    assert.equal(answers.split('200 OK').length - 1, count);
    if (count === 1) await sleep(500);
  }
  assert.match(answers, /keep-alive: timeout=60\r/i);
  client.destroy();
  await listener.drain();
});
