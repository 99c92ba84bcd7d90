import { after, before, describe } from 'node:test';
import { startWorld } from '../matrix/start.ts';
import { testEndedRights } from './ended-rights.ts';
import { testEndings } from './endings-at-once.ts';

// A right that has ended changes nothing any more, in both topologies.

for (const topology of ['five processes', 'one process'] as const)
  describe(`rights that end during changes (${topology})`, () => {
    let world: Awaited<ReturnType<typeof startWorld>>;
    before(async () => {
      world = await startWorld(topology);
    });
    after(() => world?.stop());

    testEndings(() => world);
    testEndedRights(() => world);
  });
