import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf } from '../support/answers.ts';
import type { Stage } from '../support/stage.ts';
import { countActive, tokenEndings } from '../support/token-endings.ts';

const rounds = 5;

/** `started` is called after the suite has started the stage. */
export function testIntrospectionRaces(started: () => Stage): void {
  describe('after a token has ended, both replicas of identity report it as inactive', () => {
    let stage: Stage;
    before(() => {
      stage = started();
    });

    const call = (operation: string, body: object, token = stage.stack.platformKey) =>
      stage.via(0, operation, body, token);
    const introspect = (Token: string, Tenant: string) => (gateway: number) =>
      stage.via(gateway, 'Tokens_Introspect', { Token, Tenant }, stage.stack.platformKey);

    for (const [name, prepare] of Object.entries(tokenEndings))
      test(`${name}: none of 200 later introspections finds the token active, in ${rounds} rounds`, async () => {
        for (let round = 0; round < rounds; round++) {
          const { token, tenant, end } = await prepare(call);
          const counts = await countActive(introspect(token, tenant), end);
          assert.deepEqual(counts, { before: 200, after: 0 });
        }
      });

    test('Account_Logout: a replica that does not get the revocation reports the token as inactive too', async () => {
      const prepare = tokenEndings['Account_Logout'];
      assert.ok(prepare);
      const { token, tenant, end } = await prepare(call);
      for (let index = 0; index < 8; index++)
        assert.equal(bodyOf(await introspect(token, tenant)(index))['Active'], true);
      stage.cable.hold();
      try {
        const counts = await countActive(introspect(token, tenant), end);
        assert.deepEqual(counts, { before: 200, after: 0 });
      } finally {
        stage.cable.goOn();
      }
      // Until leases are renewed, so that the processes cache again.
      await sleep(1000);
    });
  });
}
