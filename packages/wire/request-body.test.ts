import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { type Listener, listenHttp } from '@bailiwick/process';
import { readBody, stopReading } from './request-body.ts';

const limit = 1024 * 1024;
const slack = 512 * 1024;
const uncounted =
  'deno' in process.versions && 'Deno does not expose how much a connection has received';

let listener: Listener;
let socket: Socket | undefined;
before(async () => {
  listener = await listenHttp('127.0.0.1', 0, async (request, response) => {
    socket = request.socket;
    if (request.url === '/unread') stopReading(request, response);
    const isRead = request.url === '/unread' || (await readBody(request, response, limit));
    response.writeHead(isRead ? 200 : 400, { 'content-length': 2 }).end('ok');
  });
});
after(() => listener.drain());

/**
 * Sends an endless body. Returns the response and the number of bytes that the server received,
 * once it has closed the connection.
 */
async function flood(
  path: string,
  head: string,
  chunk: Buffer,
): Promise<{ answer: string; received: number }> {
  const client = connect(listener.port, '127.0.0.1');
  let answer = '';
  client.on('data', (chunk) => (answer += chunk.toString())).on('error', () => undefined);
  const closed = new Promise((resolve) => client.once('close', resolve));
  client.write(`POST ${path} HTTP/1.1\r\nhost: a\r\n${head}\r\n\r\n`);
  const send = (): void => {
    while (client.writable && client.write(chunk));
    client.once('drain', send);
  };
  send();
  await closed;
  if (socket?.destroyed === false) await once(socket, 'close');
  return { answer, received: socket?.bytesRead ?? 0 };
}

const spaces = Buffer.alloc(64 * 1024, 32);
const piece = Buffer.concat([Buffer.from('10000\r\n'), spaces, Buffer.from('\r\n')]);

test('a client that announces a body above the limit gets its response before sending it, and then the connection closes', {
  skip: uncounted,
}, async () => {
  for (const path of ['/', '/unread']) {
    const { answer, received } = await flood(path, `content-length: ${2 ** 30}`, spaces);
    assert.match(answer, /^HTTP\/1\.1 [24]00 [^]*connection: close[^]*\r\n\r\nok$/i);
    assert.ok(received < slack, `${received} bytes of ${path}`);
  }
});

test('a body of unknown length is received up to the limit', { skip: uncounted }, async () => {
  const read = await flood('/', 'transfer-encoding: chunked', piece);
  assert.match(read.answer, /^HTTP\/1\.1 400 [^]*connection: close[^]*\r\n\r\nok$/i);
  assert.ok(read.received < limit + slack, `${read.received} bytes`);
  const unread = await flood('/unread', 'transfer-encoding: chunked', piece);
  assert.match(unread.answer, /^HTTP\/1\.1 200 [^]*connection: close[^]*\r\n\r\nok$/i);
  assert.ok(unread.received < slack, `${unread.received} bytes`);
});

test('a connection is kept alive after a body that is read, and after a short one that is not', async () => {
  const client = connect(listener.port, '127.0.0.1');
  let answers = '';
  client.on('data', (chunk) => (answers += chunk.toString()));
  for (const [path, head, body] of [
    ['/', 'content-length: 2', '{}'],
    ['/', 'transfer-encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'],
    ['/unread', 'content-length: 2', '{}'],
  ]) {
    const before = answers.length;
    client.write(`POST ${path} HTTP/1.1\r\nhost: a\r\n${head}\r\n\r\n${body}`);
    while (!answers.slice(before).endsWith('ok')) await once(client, 'data');
  }
  client.destroy();
  assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 3);
  assert.doesNotMatch(answers, /connection: close/i);
});
