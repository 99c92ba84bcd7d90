import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOne } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';
import { endings, handingOut } from './delegation-directories.ts';
import { giving } from './delegation-giving.ts';
import { giverNames, roleNames } from './delegation-model.ts';
import { openStage, type Stage } from './delegation-stage.ts';
import { taking } from './delegation-taking.ts';

// Every path that puts a subject somewhere or takes it away, by every giver, for the holders of
// every role, compared with a model.

const isRefused = (body: unknown): boolean =>
  JSON.stringify(body ?? '').includes('would be refused: this would grant');

describeOne('delegation', 'one process', (topology) => {
  let stage: Stage;
  before(async () => {
    stage = await openStage(await sharedStack(topology));
  });
  after(() => stage?.stack.stop());

  const kinds = { giving, taking, 'handing out by a directory': handingOut, endings };
  for (const [kind, paths] of Object.entries(kinds))
    for (const { name, prepare, allows, only = roleNames } of paths)
      test(`${kind}: ${name}`, async () => {
        for (const giver of giverNames)
          for (const role of only) {
            const attempt = await prepare(stage, giver, role);
            const { status, body } = await attempt();
            const isAllowed = status < 300 && !isRefused(body);
            assert.equal(
              isAllowed,
              allows(giver, role),
              `${giver}, ${role}: ${JSON.stringify(body)}`,
            );
            if (!isAllowed && status >= 300) assert.equal(status, 403, JSON.stringify(body));
          }
      });
});
