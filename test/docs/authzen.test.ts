import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { bodyOf } from '../support/answers.ts';
import { createBot, createKey } from '../support/bots.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

// Runs the commands of docs/authzen.md in a tenant that is as the page assumes.

const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-authzen-'));
const stack = await sharedStack('one process');
after(async () => {
  rmSync(folder, { recursive: true });
  await stack.stop();
});

test('the commands of docs/authzen.md answer as it shows', async () => {
  const [owner, user] = await Promise.all([signUp(stack), signUp(stack)]);
  const Tenant = await createTenant(stack, owner.token);
  const call = async (name: string, body: object, token = owner.token) =>
    bodyOf(await stack.call(name, body, token));
  await call('TenantMembers_Add', { Tenant, UserID: user.id }, stack.platformKey);
  for (const [Slug, permission] of [
    ['report-reader', 'app.reports.read'],
    ['report-writer', 'app.reports.write'],
  ])
    await call('Roles_Save', { Role: { Tenant, Slug, Permissions: [permission] } });
  await call('Grants_Add', { Grant: { Tenant, UserID: user.id, Role: 'report-reader' } });
  const bot = await createBot(stack, Tenant, owner.token);
  await call('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'auditor' } });
  const { Secret: key } = await createKey(stack, bot, owner.token);
  const variables = { api: stack.url, key, owner: owner.token, user: user.id, tenant: Tenant };
  // A proxy of this host cannot reach a stack on the loopback interface.
  const env = { ...process.env, no_proxy: '127.0.0.1', ...variables };

  const guide = readFileSync(path.join(import.meta.dirname, '../../docs/authzen.md'), 'utf8');
  let count = 0;
  for (const [, code = '', answer] of guide.matchAll(
    /```sh\n([^]*?)```\n(?:\n```json\n([^]*?)```\n)?/g,
  )) {
    const options = { cwd: folder, env, timeout: 60_000 };
    const { stdout } = await promisify(execFile)('bash', ['-euc', code], options);
    const printed: unknown = JSON.parse(stdout);
    if (answer === undefined) continue;
    count += 1;
    assert.deepEqual(printed, JSON.parse(answer.replaceAll('usr_…', user.id)), code);
  }
  assert.equal(count, 6);
});
