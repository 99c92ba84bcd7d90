import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstProvider, NoEngine, NoProgram } from './providers.ts';

const from = (place: string) => () => Promise.resolve(place);
const lacks = (error: Error) => async (): Promise<string> => {
  throw error;
};
const program = new NoProgram('no program');
const engine = new NoEngine('no engine');

test("firstProvider takes the named server, then the host's own, then a container", async () => {
  assert.equal(
    await firstProvider({ named: 'named', own: from('own'), container: from('container') }, false),
    'named',
  );
  assert.equal(
    await firstProvider({ own: from('own'), container: from('container') }, false),
    'own',
  );
  assert.equal(
    await firstProvider({ own: lacks(program), container: from('container') }, false),
    'container',
  );
});

test('firstProvider takes only a container if containers are requested', async () => {
  assert.equal(
    await firstProvider({ named: 'named', own: from('own'), container: from('container') }, true),
    'container',
  );
  await assert.rejects(
    firstProvider({ named: 'named', own: from('own'), container: lacks(engine) }, true),
    engine,
  );
});

test('firstProvider reports the missing program if there is no engine either, and hides no other failure', async () => {
  const broken = new Error('the cluster is broken');
  await assert.rejects(
    firstProvider({ own: lacks(program), container: lacks(engine) }, false),
    program,
  );
  await assert.rejects(
    firstProvider({ own: lacks(program), container: lacks(broken) }, false),
    broken,
  );
  await assert.rejects(
    firstProvider({ own: lacks(broken), container: from('container') }, false),
    broken,
  );
});
