import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodyOf } from '../../support/answers.ts';
import { eventually, type OwnStack, startStack } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { type LogoutReceiver, startLogoutReceiver, verifyLogout } from './logout-receiver.ts';
import { createApp, relyOn, signInWith } from './stage.ts';

// Apps hear of the end of a session, although processes are killed and nothing announces the end.

describe('back-channel logout, in adverse times', () => {
  let stack: OwnStack;
  let receiver: LogoutReceiver;
  before(async () => {
    [stack, receiver] = await Promise.all([
      startStack('five processes', { BAILIWICK_LIMITS: 'off' }),
      startLogoutReceiver(),
    ]);
  });
  after(async () => {
    await receiver?.stop();
    await stack?.stop();
  });

  /** A person who is signed in to an app with this address. */
  async function signedIn(path: string) {
    const fields = { BackchannelLogoutURI: receiver.url(path) };
    const [person, app] = await Promise.all([signUp(stack), createApp(stack, fields)]);
    const { tokens } = await signInWith(stack, await relyOn(stack, app), person.token);
    const { sid } = tokens.claims() as unknown as { sid: string };
    return { ...person, app: app.ID, sid };
  }

  test('killing sso and notifications between the end of a session and the call loses no call', async () => {
    const services = ['sso', 'notifications'] as const;
    const paths = Array.from({ length: 10 }, (_, index) => `/killed-${index}`);
    const people = await Promise.all(paths.map(signedIn));
    // A call that was answered with 500 waits for its next attempt when the process is killed.
    const failing = paths.filter((_, index) => index % 3 === 0);
    for (const path of failing) receiver.answer(path, [500]);
    const signOut = async (some: typeof people) => {
      for (const { token } of some) bodyOf(await stack.call('Account_Logout', {}, token));
    };
    await signOut(people.slice(0, 5));
    for (const service of services) stack.kill(service);
    await signOut(people.slice(5));
    for (const service of services)
      await eventually(`${service} to run`, async () => stack.isRunning(service));
    await stack.ready();
    for (const [index, path] of paths.entries()) {
      const person = people[index] ?? assert.fail();
      const calls = await receiver.calls(path, failing.includes(path) ? 2 : 1);
      const last = calls.at(-1) ?? assert.fail();
      assert.equal((await verifyLogout(stack, person.app, last)).sid, person.sid);
    }
  });

  test('a session that ends by time or without an announcement is noticed', async () => {
    const ends = {
      '/expired': "update identity.session set expires_at = now() - interval '1 second'",
      '/idle': "update identity.session set last_seen_at = now() - interval '8 days'",
      '/gone': 'delete from identity.session',
    };
    await Promise.all(
      Object.entries(ends).map(async ([path, statement]) => {
        const { app, sid } = await signedIn(path);
        await rowsOf(stack, `${statement} where id = $1`, [sid]);
        const [call] = await receiver.calls(path);
        assert.ok(call);
        assert.equal((await verifyLogout(stack, app, call)).sid, sid);
        assert.equal(await countOf(stack, 'sso.app_sign_in where session_id = $1', [sid]), 0);
      }),
    );
  });

  test('200 sign-outs and withdrawals at once call the app once', async () => {
    const { token, app } = await signedIn('/at-once');
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        index % 2 === 0
          ? stack.call('Account_Logout', {}, token)
          : stack.call('AccountApps_Delete', { ID: app }, token),
      ),
    );
    await receiver.calls('/at-once');
    // A later sign-out of the same lane arrives after a second call would have.
    const later = await signedIn('/later');
    bodyOf(await stack.call('Account_Logout', {}, later.token));
    await receiver.calls('/later');
    assert.equal(receiver.at('/at-once').length, 1);
  });
});
