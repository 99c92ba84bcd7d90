import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProbes } from './probes.ts';

/** The status of a probe. */
async function ask(probes: ReturnType<typeof createProbes>, url: string): Promise<number> {
  let answered = 0;
  await probes.handle(
    { url },
    {
      writeHead(status) {
        answered = status;
        return { end: () => undefined };
      },
    },
  );
  return answered;
}

const statuses = async (probes: ReturnType<typeof createProbes>) =>
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

test('an unknown probe is not found', async () => {
  const probes = createProbes(() => Promise.resolve());
  assert.equal(await ask(probes, '/healthz'), 404);
});
