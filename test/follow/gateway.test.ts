import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { after, before, test } from 'node:test';
import { createBot, createKey } from '../support/bots.ts';
import { describeBoth, eventually, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { openPlace, type Place } from './place.ts';
import { connect, permissionsIn } from './raw-follower.ts';

// Followers at the gateway: who may be one, what they learn, and when they have to drop it.

describeBoth('followers', (topology) => {
  let stack: Stack;
  let place: Place;
  before(async () => {
    stack = await sharedStack(topology);
    place = await openPlace(stack);
  });
  after(() => stack?.stop());

  async function follow(credential = place.credential, tenants?: readonly string[]) {
    const follower = await connect(stack.url);
    const welcome = await follower.hello(credential, tenants);
    return { follower, welcome };
  }
  /**
   * A follower with an entry about the user and a lease. A log tells a change once more within a
   * second, which may drop the entry or end the connection in between.
   */
  const hold = (credential?: string) =>
    eventually('a follower with an entry', async () => {
      const { follower } = await follow(credential);
      const { Handle } = await follower.ask(about());
      const isHeld = await follower.beat().then(
        () => follower.drops().length === 0,
        () => false,
      );
      if (isHeld) return { follower, Handle };
      await follower.close();
      return undefined;
    });
  const about = (UserID = place.user.id) => ({ Subject: UserID, Tenant: place.tenant });

  test('a follower learns the grants of a user in its tenant, with a lease', async () => {
    await place.grant('report:1');
    const { follower, welcome } = await follow();
    assert.deepEqual(welcome['Tenants'], [place.tenant]);
    const answer = await follower.ask(about());
    assert.ok((answer.Handle ?? 0) > 0 && (answer.LastsMs ?? 0) > 0, JSON.stringify(answer));
    assert.ok(permissionsIn(answer, 'report:1').includes('app.reports.read'));
    assert.ok(!permissionsIn(answer, 'report:2').includes('app.reports.read'));
    const leaseMs = await follower.beat();
    assert.ok(leaseMs > 0 && leaseMs <= 1500, String(leaseMs));
    await follower.close();
  });

  test('a call that revokes a grant replies after the follower has dropped it', async () => {
    await place.grant('report:3');
    const { follower, Handle } = await hold();
    await place.removeGrant('report:3');
    assert.deepEqual(follower.drops(), [Handle]);
    const later = await follower.ask(about());
    assert.ok(!permissionsIn(later, 'report:3').includes('app.reports.read'));
    await follower.close();
  });

  test('a new grant works at once too, and the changes of others drop nothing', async () => {
    const stranger = await openPlace(stack);
    const { follower, Handle } = await eventually('a change of others without a drop', async () => {
      const held = await hold();
      await stranger.grant();
      await stranger.removeGrant();
      if (held.follower.drops().length === 0) return held;
      await held.follower.close();
      return undefined;
    });
    await place.grant('report:4');
    assert.deepEqual(follower.drops(), [Handle]);
    assert.ok(permissionsIn(await follower.ask(about()), 'report:4').includes('app.reports.read'));
    await follower.close();
  });

  test('a follower that does not acknowledge is closed, and the reply waits for its lease', async () => {
    await eventually('a drop by the call and by no log', async () => {
      await place.grant('report:5');
      const { follower } = await hold();
      follower.acknowledge(false);
      await follower.beat();
      const dropsBefore = follower.drops().length;
      const beganAt = performance.now();
      await place.removeGrant('report:5');
      const tookMs = performance.now() - beganAt;
      assert.equal((await follower.closing()).code, 4408);
      if (dropsBefore > 0) return undefined;
      assert.ok(tookMs > 200, String(tookMs));
      return true;
    });
  });

  test('a connection that is lost keeps its entries until its lease is over', async () => {
    await eventually('a lost connection with an entry', async () => {
      await place.grant('report:6');
      const [{ follower: lost }, { follower: other }] = await Promise.all([hold(), hold()]);
      const beganAt = performance.now();
      const leaseMs = await lost.beat();
      await lost.close();
      const isHeld = lost.drops().length === 0 && other.drops().length === 0;
      await place.removeGrant('report:6');
      const tookMs = performance.now() - beganAt;
      await other.close();
      if (!isHeld) return undefined;
      assert.ok(tookMs >= leaseMs - 50, `${tookMs} of ${leaseMs}`);
      assert.equal(other.drops().length, 1);
      return true;
    });
  });

  test('a follower that forgets its entries is not waited for', async () => {
    const { follower, Handle } = await hold();
    follower.send({ Type: 'forget', Handles: [Handle] });
    await follower.beat();
    await place.grant('report:7');
    assert.deepEqual(follower.drops(), []);
    await follower.close();
  });

  test('the end of its credential closes it before the reply, after it has dropped all', async () => {
    const { Key, Secret } = await createKey(stack, place.bot, place.owner.token);
    const { follower, Handle } = await hold(Secret);
    await place.call('BotKeys_SetExpiration', {
      Tenant: place.tenant,
      ID: Key.ID,
      ExpiresAt: new Date().toISOString(),
    });
    assert.deepEqual(follower.drops(), [Handle]);
    assert.equal((await follower.closing()).code, 4409);
    const again = await connect(stack.url);
    again.send({ Type: 'hello', Credential: Secret });
    assert.equal((await again.closing()).code, 4401);
  });

  test('the end of its permission closes it before the reply', async () => {
    const bot = await createBot(stack, place.tenant, place.owner.token, { Name: 'short' });
    const Grant = { Tenant: place.tenant, Bot: bot.ID, Role: 'follower' };
    await place.call('BotGrants_Add', { Grant });
    const { Secret } = await createKey(stack, bot, place.owner.token);
    const { follower, Handle } = await hold(Secret);
    await place.call('BotGrants_Remove', { Grant });
    assert.deepEqual(follower.drops(), [Handle]);
    assert.equal((await follower.closing()).code, 4409);
    const again = await connect(stack.url);
    again.send({ Type: 'hello', Credential: Secret });
    assert.equal((await again.closing()).code, 4403);
  });

  test('a credential without the permission, of a person or of nothing is refused', async () => {
    const bot = await createBot(stack, place.tenant, place.owner.token, { Name: 'plain' });
    const { Secret } = await createKey(stack, bot, place.owner.token);
    for (const [credential, code] of [
      [Secret, 4403],
      [place.owner.token, 4403],
      [stack.platformKey, 4403],
      [`${Secret}x`, 4401],
      ['', 4401],
    ] as const) {
      const follower = await connect(stack.url);
      follower.send({ Type: 'hello', Credential: credential });
      assert.equal((await follower.closing()).code, code);
    }
  });

  test('a follower of one tenant learns nothing of another', async () => {
    const stranger = await signUp(stack);
    const other = await createTenant(stack, stranger.token);
    const named = await connect(stack.url);
    named.send({ Type: 'hello', Credential: place.credential, Tenants: [place.tenant, other] });
    assert.equal((await named.closing()).code, 4403);
    const { follower } = await follow();
    for (const Tenant of [other, 'tnt_0', 'x'])
      for (const Subject of [stranger.id, place.user.id]) {
        const { Error: error, Value } = await follower.ask({ Subject, Tenant });
        assert.equal(error?.Code, 'permission_denied');
        assert.equal(Value, undefined);
      }
    // A person who is no member has no grants here, like one who does not exist.
    const ids = [stranger.id, 'usr_00000000000000000000000000', 'bot_00000000000000000000000000'];
    for (const Subject of ids) {
      const answer = await follower.ask({ Subject, Tenant: place.tenant });
      assert.deepEqual(permissionsIn(answer), []);
    }
    await follower.close();
  });

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
      const { follower } = await follow();
      follower.send(frame);
      assert.equal((await follower.closing()).code, 4400, JSON.stringify(frame));
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

  test('a question by a plain call gets the answer without a handle', async () => {
    await place.grant('report:9');
    const ask = async (token: string | undefined, question: object) => {
      const response = await fetch(`${stack.url}/follow`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(question),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const { status, body } = await ask(place.credential, about());
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['Type', 'Value']);
    assert.ok(permissionsIn(body as never, 'report:9').includes('app.reports.read'));
    assert.equal((await ask(undefined, about())).status, 401);
    assert.equal((await ask(place.owner.token, about())).status, 403);
    assert.equal((await ask(place.credential, {})).status, 400);
    const foreign = await ask(place.credential, { Subject: place.user.id, Tenant: 'tnt_0' });
    assert.deepEqual(
      [foreign.status, (foreign.body['Error'] as { Code: string }).Code],
      [200, 'permission_denied'],
    );
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
