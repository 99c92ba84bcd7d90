// 40 s: starts the product, and kills parts of it while users are locked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { recordIn } from '../../support/answers.ts';
import { eventually, type OwnStack, startStack } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { type LogoutReceiver, startLogoutReceiver } from './logout-receiver.ts';
import { createApp, relyOn, signInWith } from './stage.ts';

type Row = { Holder: string; Kind: string; State: string; At: string };
type Receipt = { ID: string; Final: boolean; Rows: Row[] };

describe('locks while processes are killed', () => {
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

  const call = async (operation: string, body: object) =>
    recordIn(await stack.call(operation, body, stack.platformKey), 'Receipt') as Receipt;
  const settled = (ID: string) =>
    eventually('a final receipt', async () => {
      const answer = await stack.call('LockReceipts_Get', { ID }, stack.platformKey);
      const receipt = answer.body['Receipt'] as Receipt | undefined;
      return receipt?.Final === true && receipt;
    });

  async function signedIn(path: string) {
    const person = await signUp(stack);
    const { ID: app, secret } = await createApp(stack, {
      BackchannelLogoutURI: receiver.url(path),
    });
    await signInWith(stack, await relyOn(stack, { ID: app, secret }), person.token);
    return { ...person, app };
  }
  const stateOf = ({ Rows }: Receipt, app: string) =>
    Rows.find(({ Holder, Kind }) => Holder === app && Kind === 'session')?.State;

  test('a receipt loses no row if notifications is killed while it calls the app', async () => {
    for (const [path, kills] of [
      ['/killed-before', 0],
      ['/killed-between', 1],
    ] as const) {
      receiver.answer(path, [500]);
      const { id, app } = await signedIn(path);
      const { ID } = await call('Users_Lock', { UserID: id });
      if (kills > 0) await receiver.calls(path, kills);
      stack.kill('notifications');
      assert.equal(stateOf(await settled(ID), app), 'accepted');
    }
  });

  test('a receipt has its apps if identity or sso is killed during the lock', async () => {
    for (const service of ['identity', 'sso'] as const)
      for (const pauseMs of [0, 3, 10, 25]) {
        const { id, app, token } = await signedIn(`/${service}-${pauseMs}`);
        const running = stack.call('Users_Lock', { UserID: id }, stack.platformKey);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        stack.kill(service);
        await running.catch(() => undefined);
        // The kill may have failed the call, which is repeated.
        const { ID } = await eventually('the lock', async () => {
          const { status, body } = await stack.call(
            'Users_Lock',
            { UserID: id },
            stack.platformKey,
          );
          return status === 200 && (body['Receipt'] as Receipt);
        });
        assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
        const receipt = await settled(ID);
        assert.equal(stateOf(receipt, app), 'accepted', `${service} after ${pauseMs} ms`);
        assert.ok(receipt.Rows.some(({ Kind }) => Kind === 'token'));
      }
  });
});
