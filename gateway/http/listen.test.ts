import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type TestContext, test } from 'node:test';
import { listenGatewayHttp } from './listen.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);
const skip = hasIpv6 ? false : 'NOT TESTED: this machine has no ::1';
const answer = (_request: unknown, response: { end(text: string): void }) => response.end('here');

async function listen(t: TestContext, publicUrl: string, host = '127.0.0.1') {
  const listener = await listenGatewayHttp({ host, port: 0, publicUrl }, answer, {});
  t.after(() => listener.drain());
  return listener.port;
}

const textAt = async (host: string, port: number) => (await fetch(`http://${host}:${port}`)).text();

test('the gateway of localhost listens on 127.0.0.1 and ::1, and drains both', {
  skip,
}, async () => {
  const place = { host: '127.0.0.1', port: 0, publicUrl: 'http://localhost:8080' };
  const listener = await listenGatewayHttp(place, answer, {});
  for (const host of ['127.0.0.1', '[::1]', 'localhost'])
    assert.equal(await textAt(host, listener.port), 'here', host);
  await listener.drain();
  for (const host of ['127.0.0.1', '[::1]'])
    await assert.rejects(textAt(host, listener.port), host);
});

test('a gateway of another address listens on its own only', { skip }, async (t) => {
  const port = await listen(t, 'https://iam.example');
  assert.equal(await textAt('127.0.0.1', port), 'here');
  await assert.rejects(textAt('[::1]', port));
});

test('a server that has the port on ::1 stops the start: links to localhost would lead there', {
  skip,
}, async (t) => {
  const other = createServer((_request, response) => response.end('other'));
  await new Promise<void>((resolve) => other.listen(0, '::1', resolve));
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const place = { host: '127.0.0.1', port, publicUrl: 'http://localhost:8080' };
  await assert.rejects(listenGatewayHttp(place, answer, {}), { code: 'EADDRINUSE' });
  await assert.rejects(textAt('127.0.0.1', port));
});
