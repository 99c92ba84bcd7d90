import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

// Runs the commands of docs/scim.md.

const read = (file: string) => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8');
const stack = await sharedStack('one process');
after(() => stack.stop());

test('the commands of docs/scim.md choose a parent, and create a key that reads the people of the directory', async () => {
  const { token } = await signUp(stack);
  const tenant = await createTenant(stack, token);
  const helpers = read('README.md').match(/^(call|field)\(\).*$/gm) ?? [];
  const blocks = Array.from(
    read('docs/scim.md').matchAll(/```sh\n([^]*?)```/g),
    ([, code]) => code,
  );
  assert.equal(blocks.length, 3);
  // A proxy of this host cannot reach a stack on the loopback interface.
  const env = { ...process.env, no_proxy: '127.0.0.1', api: stack.url, token, tenant };
  const [connect = '', notices = '', choose = ''] = blocks;
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-euc', [...helpers, choose, notices, connect].join('\n')],
    { env, timeout: 60_000 },
  );
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const { totalResults } = JSON.parse(last) as { totalResults: number };
  assert.equal(totalResults, 0);
});
