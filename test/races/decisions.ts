import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf } from '../support/answers.ts';
import { countTrue } from '../support/bursts.ts';
import { type DecisionEnding, decisionEndings } from '../support/decision-endings.ts';
import type { Answer } from '../support/harness.ts';
import type { Stage } from '../support/stage.ts';

const rounds = 2;

/** `started` is called after the suite has started the stage. */
export function testDecisionRaces(started: () => Stage): void {
  describe('after a change of rights, both replicas of access decide by the new ones', () => {
    let stage: Stage;
    before(() => {
      stage = started();
    });

    const call = (operation: string, body: object, token = stage.stack.platformKey) =>
      stage.via(0, operation, body, token);
    const isAllowed =
      ({ check, token = stage.stack.platformKey }: DecisionEnding) =>
      async (gateway: number) =>
        bodyOf(await stage.via(gateway, 'Access_Check', check, token))['Allowed'] === true;

    for (const [name, prepare] of Object.entries(decisionEndings))
      test(`${name}: none of 200 later checks is allowed, in ${rounds} rounds`, async () => {
        let ending = await prepare(call);
        for (let round = 0; round < rounds; round++) {
          const counts = await countTrue(isAllowed(ending), ending.end);
          assert.deepEqual(counts, { before: 200, after: 0 });
          const undone = ending.undo && (await countTrue(isAllowed(ending), ending.undo));
          if (undone) assert.deepEqual(undone, { before: 0, after: 200 });
          else ending = await prepare(call);
        }
      });

    /** Expects no allowed check after the reply of `end`, while one replica gets no change. */
    async function endBesideSilentReplica(
      name: string,
      end: (ending: DecisionEnding) => Promise<Answer>,
    ): Promise<void> {
      const prepare = decisionEndings[name];
      assert.ok(prepare);
      const ending = await prepare(call);
      const ask = isAllowed(ending);
      for (let index = 0; index < 8; index++) assert.equal(await ask(index), true);
      stage.cable.hold();
      try {
        const counts = await countTrue(ask, () => end(ending));
        assert.deepEqual(counts, { before: 200, after: 0 });
      } finally {
        stage.cable.goOn();
      }
      // Until leases are renewed, so that the processes cache again.
      await sleep(1000);
    }

    for (const name of ['Grants_Remove', 'Groups_RemoveMember', 'Users_Disable'])
      test(`${name}: a replica that does not get the change denies too`, () =>
        endBesideSilentReplica(name, ({ end }) => end()));

    // The second call finds nothing to end while the first still waits for the silent replica.
    for (const name of [
      'Grants_Remove',
      'GroupGrants_Remove',
      'Groups_RemoveMember',
      'Roles_Save',
      'TenantMembers_Disable',
      'TenantMembers_Remove',
      'BotGrants_Remove',
    ])
      test(`${name}, sent twice: none of 200 checks is allowed after the first reply`, async () => {
        const answers: Array<Promise<Answer>> = [];
        await endBesideSilentReplica(name, ({ end }) => {
          answers.push(end(), sleep(100).then(end));
          return Promise.race(answers);
        });
        for (const answer of await Promise.all(answers)) bodyOf(answer);
      });
  });
}
