import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidTokenError } from '../errors.ts';
import { isUnavailable, startFollowing, state, token, until } from '../testing/following.ts';
import { credential } from '../testing/gateway.ts';
import { hostPlatform } from './platform.ts';

const plainAnswer = (body: object) => ({ status: 200, body });

for (const [what, connect] of [
  ['without a WebSocket', undefined],
  ['where the upgrade is refused', hostPlatform().connect],
] as const)
  test(`${what} each question is a plain call, whose answer serves for a second`, async (t) => {
    const {
      follower: own,
      gateway,
      messages,
      passed,
    } = await startFollowing(t, {}, { platform: { connect } });
    gateway.refusesUpgrades = true;
    await own.ready();
    assert.equal(own.state, 'plain');
    gateway.plain.splice(0);
    gateway.answerPlainly = () => plainAnswer({ Type: 'answer', Value: state });
    const rights = await own.rights(token);
    assert.equal(rights.can('app.reports.write', 'report:7'), true);
    await own.confirm(token);
    // Until it is ready the follower may send empty questions, too.
    const calls = gateway.plain.filter(({ body }) => Object.keys(body as object).length > 0);
    assert.equal(calls.length, 2);
    assert.equal(calls[0]?.authorization, `Bearer ${credential}`);
    assert.deepEqual(Object.keys(calls[0]?.body as object), ['Token']);
    passed.monotonicMs += 1000;
    assert.throws(() => rights.can('app.reports.read'), isUnavailable);
    await rights.refresh();
    assert.equal(rights.can('app.reports.read'), true);
    const Error = { Code: 'unauthenticated', Message: 'no' };
    gateway.answerPlainly = () => plainAnswer({ Type: 'answer', Error });
    await assert.rejects(own.confirm(token), InvalidTokenError);
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? '', /each question is a call/);
    assert.ok(!messages[0]?.includes(credential));
  });

test('a question that begins after a plain call was read does not share its answer', async (t) => {
  for (const connect of [undefined, hostPlatform().connect]) {
    const { follower: own, gateway } = await startFollowing(t, {}, { platform: { connect } });
    gateway.refusesUpgrades = true;
    await own.ready();
    const Error = { Code: 'unauthenticated', Message: 'no' };
    let later: Promise<void> | undefined;
    gateway.answerPlainly = (body) => {
      if (Object.keys(body as object).length === 0) return { status: 400, body: {} };
      if (later) return plainAnswer({ Type: 'answer', Error });
      // The token ends after this answer, and before the follower has it.
      later = assert.rejects(own.confirm(token), InvalidTokenError);
      return plainAnswer({ Type: 'answer', Value: state });
    };
    await own.confirm(token);
    assert.ok(later);
    await later;
  }
});

test('a plain call that is refused is unavailable, and never a token that has ended', async (t) => {
  const { follower: own, gateway } = await startFollowing(
    t,
    {},
    { platform: { connect: undefined } },
  );
  for (const [status, body] of [
    [401, { Code: 'unauthenticated', Messages: [] }],
    [200, {}],
    [200, []],
    [500, {}],
  ] as const) {
    gateway.answerPlainly = () => ({ status, body });
    await assert.rejects(own.confirm(token), isUnavailable);
  }
});

test('a plain call follows no redirect', async (t) => {
  const { follower: own, gateway } = await startFollowing(
    t,
    {},
    { platform: { connect: undefined } },
  );
  gateway.answerPlainly = (body) =>
    body === undefined ? plainAnswer({ Type: 'answer', Value: state }) : { status: 302, body: {} };
  await assert.rejects(own.confirm(token), isUnavailable);
  assert.equal(gateway.plain.length, 1);
});

test('a WebSocket that opens later takes the place of plain calls', async (t) => {
  const { follower: own, gateway } = await startFollowing(t);
  gateway.refusesUpgrades = true;
  gateway.answerPlainly = () => plainAnswer({ Type: 'answer', Value: state });
  await until(() => gateway.upgrades > 0);
  await own.confirm(token);
  gateway.refusesUpgrades = false;
  await gateway.connection(0);
  await until(() => own.state === 'following');
  await own.rights(token);
  const { length } = gateway.plain;
  await own.rights(token);
  assert.equal(gateway.plain.length, length);
});
