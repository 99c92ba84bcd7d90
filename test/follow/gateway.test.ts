import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createBot, createKey } from '../support/bots.ts';
import { describeBoth, eventually, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { followersOf } from './followers.ts';
import { openPlace, type Place } from './place.ts';
import { connect, permissionsIn } from './raw-follower.ts';

// Followers at the gateway: who may be one, which answers they get, and when they have to drop them.

describeBoth('followers', (topology) => {
  let stack: Stack;
  let place: Place;
  before(async () => {
    stack = await sharedStack(topology);
    place = await openPlace(stack);
  });
  after(() => stack?.stop());

  const { follow, hold, about } = followersOf(() => ({ stack, place }));

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
});
