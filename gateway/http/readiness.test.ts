import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { sendReadiness } from './readiness.ts';

async function answerOf(ready: () => Promise<void>, concerns: string[] = []): Promise<unknown[]> {
  const answer: unknown[] = [];
  const end = (body: string) => void answer.push(body);
  const response = { writeHead: (status: number) => (answer.push(status), { end }) };
  await sendReadiness(response as unknown as ServerResponse, { ready, concerns: () => concerns });
  return answer;
}

test('the public /readyz names no host of a problem', async () => {
  assert.deepEqual(await answerOf(() => Promise.resolve()), [200, 'ok\n']);
  const problem = new Error('no PostgreSQL answers at db.internal:5432');
  assert.deepEqual(await answerOf(() => Promise.reject(problem)), [503, 'not ready\n']);
});

test('a concern is named, and the gateway stays ready', async () => {
  assert.deepEqual(await answerOf(() => Promise.resolve(), ['the disk is nearly full']), [
    200,
    'ok\ndegraded: the disk is nearly full\n',
  ]);
});
