import { after, before, describe } from 'node:test';
import { testAuthorization } from './authorization.ts';
import { placeNames } from './place.ts';
import { startWorld } from './start.ts';

describe('matrix', () => {
  let world: Awaited<ReturnType<typeof startWorld>>;
  before(async () => {
    world = await startWorld();
  });
  after(() => world?.stop());

  testAuthorization(() => world, { denied: placeNames, allowed: placeNames });
});
