// 85 s: calls each of 207 operations as 18 callers, and compares all tables after the refusals of each.
import { after, before, describe } from 'node:test';
import { testAuthorization } from './authorization.ts';
import { testRecords } from './records.ts';
import { startWorld } from './start.ts';

describe('matrix', () => {
  let world: Awaited<ReturnType<typeof startWorld>>;
  before(async () => {
    world = await startWorld();
  });
  after(() => world?.stop());

  // Changes nothing, so it comes first.
  testRecords(() => world);
  // authorization.long.test.ts calls about every place.
  testAuthorization(() => world, { denied: ['own', 'foreign'], allowed: ['own'] });
});
