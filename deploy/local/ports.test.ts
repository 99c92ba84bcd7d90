import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { assertPortFree, freePorts } from './ports.ts';

test('freePorts returns distinct ports outside the range of outgoing connections', async () => {
  const ports = await freePorts(20);
  assert.equal(new Set(ports).size, 20);
  assert.ok(ports.every((port) => port >= 20_000 && port < 32_000));
});

test('assertPortFree names the port, its use, and how to choose another', async (t) => {
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    await assert.rejects(assertPortFree(port, 'the inbox', 'BAILIWICK_INBOX_PORT'), {
      message: `port ${port} is taken, and the inbox needs it. Stop its process, or choose another: BAILIWICK_INBOX_PORT=${port + 1} npm start`,
    });
  }
});

test('assertPortFree accepts a free port, and 0, which takes any', async () => {
  const [port] = await freePorts(1);
  await assertPortFree(port as number, 'the gateway', 'PORT');
  await assertPortFree(0, 'the gateway', 'PORT');
});
