import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountChanges, countUnchanged } from '../support/account-changes.ts';
import { bodyOf } from '../support/answers.ts';
import type { Stage } from '../support/stage.ts';

const rounds = 2;

/** `started` is called after the suite has started the stage. */
export function testAccountRaces(started: () => Stage): void {
  describe('after a change of an account, both replicas of identity show the new one', () => {
    let stage: Stage;
    before(() => {
      stage = started();
    });

    const call = (operation: string, body: object, token = stage.stack.platformKey) =>
      stage.via(0, operation, body, token);
    const get = (token: string) => (gateway: number) =>
      stage.via(gateway, 'Account_Get', {}, token);

    for (const [name, prepare] of Object.entries(accountChanges))
      test(`${name}: none of 200 later calls of Account_Get shows the old account, in ${rounds} rounds`, async () => {
        for (let round = 0; round < rounds; round++) {
          const { token, change } = await prepare(call);
          const counts = await countUnchanged(get(token), change);
          assert.deepEqual(counts, { before: 200, after: 0 });
        }
      });

    for (const name of ['Account_Update', 'TenantMembers_Add'])
      test(`${name}: a replica that does not get the revocation shows the new account too`, async () => {
        const prepare = accountChanges[name];
        assert.ok(prepare);
        const { token, change } = await prepare(call);
        for (let index = 0; index < 8; index++) bodyOf(await get(token)(index));
        stage.cable.hold();
        try {
          const counts = await countUnchanged(get(token), change);
          assert.deepEqual(counts, { before: 200, after: 0 });
        } finally {
          stage.cable.goOn();
        }
        // Until leases are renewed, so that the processes cache again.
        await sleep(1000);
      });
  });
}
