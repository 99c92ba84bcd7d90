import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProbes } from './probes.ts';

type Probes = ReturnType<typeof createProbes>;

async function answerOf(probes: Probes, url: string): Promise<{ status: number; text: string }> {
  const answer = { status: 0, text: '' };
  await probes.handle(
    { url },
    {
      writeHead(status) {
        answer.status = status;
        return { end: (text) => (answer.text = text) };
      },
    },
  );
  return answer;
}

const ask = async (probes: Probes, url: string) => (await answerOf(probes, url)).status;
const textOf = async (probes: Probes, url: string) => (await answerOf(probes, url)).text;

const statuses = async (probes: Probes) =>
  Promise.all(['/startupz', '/readyz', '/servingz', '/livez'].map((url) => ask(probes, url)));

test('a process that shuts down is not ready, and serves until its port is closed', async () => {
  const probes = createProbes(() => Promise.resolve());
  assert.deepEqual(await statuses(probes), [200, 200, 200, 200]);
  probes.drain();
  assert.deepEqual(await statuses(probes), [200, 503, 200, 200]);
  probes.close();
  assert.deepEqual(await statuses(probes), [200, 503, 503, 200]);
});

test('a process that was not ready does not serve while it shuts down', async () => {
  const probes = createProbes(() => Promise.reject(new Error('no database')));
  assert.deepEqual(await statuses(probes), [503, 503, 503, 200]);
  probes.drain();
  assert.deepEqual(await statuses(probes), [503, 503, 503, 200]);
});

test('a concern is named by /readyz alone, and fails no probe', async () => {
  const probes = createProbes(
    () => Promise.resolve(),
    () => ['the storage of the broker is full', 'the disk is nearly full'],
  );
  const [readyz, servingz] = [await textOf(probes, '/readyz'), await textOf(probes, '/servingz')];
  assert.equal(
    readyz,
    'ok\ndegraded: the storage of the broker is full\ndegraded: the disk is nearly full\n',
  );
  assert.equal(servingz, 'ok\n');
  assert.deepEqual(await statuses(probes), [200, 200, 200, 200]);
});

test('an unknown probe is not found', async () => {
  const probes = createProbes(() => Promise.resolve());
  assert.equal(await ask(probes, '/healthz'), 404);
});
