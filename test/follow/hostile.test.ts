import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { after, before, test } from 'node:test';
import { describeBoth, eventually, type Stack } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';
import { followersOf } from './followers.ts';
import { openPlace, type Place } from './place.ts';
import { connect } from './raw-follower.ts';

// Frames and handshakes that no follower of ours sends.

describeBoth('hostile followers', (topology) => {
  let stack: Stack;
  let place: Place;
  before(async () => {
    stack = await sharedStack(topology);
    place = await openPlace(stack);
  });
  after(() => stack?.stop());

  const { follow, hold, about } = followersOf(() => ({ stack, place }));

  test('frames that are early, repeated, wrong or too large close the connection', async () => {
    const beforeWelcome = [
      [{ Type: 'beat', ID: 1 }, 4400],
      [{ Type: 'ask', ID: 1, ...about() }, 4400],
      ['{', 4400],
      ['[]', 4400],
      [{ Type: 'hello', Credential: 'x'.repeat(5000) }, 4400],
      ['x'.repeat(1_000_000), 1009],
    ] as const;
    for (const [frame, code] of beforeWelcome) {
      const follower = await connect(stack.url);
      follower.send(frame);
      assert.equal((await follower.closing()).code, code, JSON.stringify(frame).slice(0, 60));
    }
    for (const frame of [
      { Type: 'hello', Credential: place.credential },
      { Type: 'beat' },
      { Type: 'ask', ID: 0, ...about() },
      { Type: 'ask' },
      { Type: 'drop', ID: 1, Handles: [] },
    ]) {
      // A log tells the new grant of the bot once more within a second, which ends a connection too.
      const code = await eventually('an end by the frame', async () => {
        const { follower } = await follow();
        follower.send(frame);
        const closing = await follower.closing();
        return closing.code !== 4409 && closing.code;
      });
      assert.equal(code, 4400, JSON.stringify(frame));
    }
  });

  test('acknowledgements and handles that mean nothing change nothing', async () => {
    await place.grant('report:8');
    const [{ follower, Handle }, { follower: other }] = await Promise.all([hold(), follow()]);
    // The handles of one follower are not those of another.
    for (let id = 1; id < 10; id++) {
      other.send({ Type: 'dropped', ID: id });
      other.send({ Type: 'forget', Handles: [id] });
    }
    await other.beat();
    await place.removeGrant('report:8');
    assert.deepEqual(follower.drops(), [Handle]);
    await Promise.all([follower.close(), other.close()]);
  });

  test('too many frames close the connection', async () => {
    const { follower } = await follow();
    for (let id = 1; id < 4000; id++) follower.send({ Type: 'dropped', ID: id });
    assert.equal((await follower.closing()).code, 4429);
  });

  test('a page cannot open a connection, and a plain GET is told how', async () => {
    const key = 'dGhlIHNhbXBsZSBub25jZQ==';
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
    };
    const { request } = await import('node:http');
    const statusOf = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const sent = request(`${stack.url}/follow`, { headers });
        sent.on('response', (response) => {
          resolve(response.statusCode ?? 0);
          response.resume();
        });
        sent.on('upgrade', (_response, socket) => {
          resolve(101);
          socket.destroy();
        });
        sent.on('error', reject).end();
      });
    assert.equal(await statusOf(upgrade), 101);
    assert.equal(await statusOf({ ...upgrade, origin: stack.url }), 403);
    assert.equal(await statusOf({ ...upgrade, origin: 'null', cookie: 'bailiwick=x' }), 403);
    assert.equal(await statusOf({}), 426);
    // Some HTTP clients offer HTTP/2 with each request.
    assert.equal(await statusOf({ connection: 'Upgrade', upgrade: 'h2c' }), 426);
  });

  test('refused handshakes that are reset or stay open do not harm the gateway', async () => {
    const { port } = new URL(stack.url);
    const handshake = [
      'GET /follow HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Origin: ${stack.url}`,
    ].join('\r\n');
    for (let count = 0; count < 20; count++) {
      const socket = createConnection({ port: Number(port), host: '127.0.0.1' });
      await once(socket, 'connect');
      socket.on('error', () => {});
      socket.write(`${handshake}\r\n\r\n`, () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    // It keeps its side open, and is cut.
    const patient = createConnection({
      port: Number(port),
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    patient.on('error', () => {}).resume();
    patient.write(`${handshake}\r\n\r\n`);
    await once(patient, 'end');
    await eventually('the end of its side', async () => {
      patient.write('more');
      return patient.destroyed;
    });
    const { follower } = await follow();
    assert.ok((await follower.beat()) > 0);
    await follower.close();
  });

  test('a wrong question is answered, and the connection goes on', async () => {
    const { follower } = await follow();
    for (const question of [
      {},
      { Subject: 'x'.repeat(5000), Tenant: place.tenant },
      { Token: 1 },
    ]) {
      const { Error: error } = await follower.ask(question);
      assert.equal(error?.Code, 'invalid_argument');
    }
    assert.ok((await follower.ask(about())).Value);
    await follower.close();
  });
});
