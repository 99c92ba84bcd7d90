import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { keylessToken } from './keyless.ts';

test('a failed exchange of the job’s token is tried again by the next call', async (t) => {
  const names = ['BAILIWICK_BOT', 'BAILIWICK_JOB_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_URL'];
  const before = names.map((name) => [name, process.env[name]] as const);
  t.after(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
  for (const name of names) delete process.env[name];
  process.env['BAILIWICK_BOT'] = 'bot_1';
  // Nothing answers at this port.
  const token = keylessToken('http://127.0.0.1:1');
  assert.ok(token);
  await assert.rejects(token(), /the job has no token/);
  process.env['BAILIWICK_JOB_TOKEN'] = 'job';
  await assert.rejects(token(), (error: Error) => !error.message.includes('the job has no token'));
});
