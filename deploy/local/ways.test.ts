import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstWay, NoEngine, NoProgram } from './ways.ts';

const from = (place: string) => () => Promise.resolve(place);
const lacks = (error: Error) => async (): Promise<string> => {
  throw error;
};
const program = new NoProgram('no program');
const engine = new NoEngine('no engine');

test('firstWay takes what is named, then a server of its own, then a container', async () => {
  assert.equal(
    await firstWay({ named: 'named', own: from('own'), container: from('container') }, false),
    'named',
  );
  assert.equal(await firstWay({ own: from('own'), container: from('container') }, false), 'own');
  assert.equal(
    await firstWay({ own: lacks(program), container: from('container') }, false),
    'container',
  );
});

test('firstWay takes nothing but a container where only that is wanted', async () => {
  assert.equal(
    await firstWay({ named: 'named', own: from('own'), container: from('container') }, true),
    'container',
  );
  await assert.rejects(
    firstWay({ named: 'named', own: from('own'), container: lacks(engine) }, true),
    engine,
  );
});

test('firstWay names what is lacking where there is no engine either, and hides no other failure', async () => {
  const broken = new Error('the cluster is broken');
  await assert.rejects(firstWay({ own: lacks(program), container: lacks(engine) }, false), program);
  await assert.rejects(firstWay({ own: lacks(program), container: lacks(broken) }, false), broken);
  await assert.rejects(
    firstWay({ own: lacks(broken), container: from('container') }, false),
    broken,
  );
});
