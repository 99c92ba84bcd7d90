// 60 s: fills the demo, and starts the product twice.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  isUp,
  npmStart,
  pressCtrlC,
  processesOf,
  temporaryFolder,
  until,
} from '@bailiwick/deploy/local/testing.ts';
import { bodyOf } from '../support/answers.ts';
import { callerOf } from '../support/harness.ts';

type Page<Item> = { Items: Item[]; NextCursor: string };
type Entry = { ID: string; OccurredAt: string; Action: string };
type Endpoint = { ID: string; Name: string; Health: { State: string; FailingSince?: string } };

const dayMs = 24 * 60 * 60_000;

/** A filling, the other files of the lane beside it. */
const fillLimitMs = 400_000;

/** Starts the demo, and returns how to call it. */
async function startDemo(t: Parameters<typeof npmStart>[0], dataDir: string) {
  const env = { BAILIWICK_DNS_RESOLVERS: '127.0.0.1:9' };
  const run = npmStart(t, dataDir, { args: ['--single', '--demo'], env });
  const { gateway } = await isUp(run, fillLimitMs);
  const key = readFileSync(join(dataDir, 'platform-key'), 'utf8').trim();
  const call = async (operation: string, body: object, token = key) =>
    bodyOf(await callerOf(gateway)(operation, body, token));
  const list = async <Item>(operation: string, body: object): Promise<Item[]> => {
    const items: Item[] = [];
    for (let Cursor = ''; ; ) {
      const answer = await call(operation, { ...body, Page: { Limit: 200, Cursor } });
      const page = answer['Page'] as Page<Item>;
      items.push(...page.Items);
      if (page.NextCursor === '') return items;
      Cursor = page.NextCursor;
    }
  };
  const [company] = await list<{ ID: string }>('Tenants_List', { Query: 'Acme' });
  return { run, call, list, Tenant: company?.ID ?? '' };
}

test('npm start --demo fills a company with 30 days of history once, whose audit is valid and one of whose endpoints fails', async (t) => {
  const dataDir = temporaryFolder(t);
  const first = await startDemo(t, dataDir);
  const { call, list, Tenant } = first;

  const verified = await call('Audit_Verify', { Tenant });
  assert.equal(verified['Valid'], true);
  const entries = await list<Entry>('Audit_List', { Tenant });
  assert.equal(verified['Checked'], entries.length);
  const times = entries.map(({ OccurredAt }) => Date.parse(OccurredAt));
  // The newest first; calls of one moment come from several services.
  const isInOrder = (time: number, index: number) => time <= (times[index - 1] ?? time) + 5000;
  assert.ok(times.every(isInOrder));
  const days = new Set(times.map((time) => Math.floor(time / dayMs)));
  assert.ok(Math.max(...days) - Math.min(...days) >= 29, [...days].join(' '));
  assert.ok(days.size >= 22, 'something happens on every working day');

  const counts = await call('Tenants_GetCounts', { Tenant });
  const { Active } = counts['Members'] as { Active: { Value: number } };
  assert.ok(Active.Value >= 55, `${Active.Value} members`);
  assert.ok((counts['Groups'] as { Value: number }).Value >= 40);
  const signIns = counts['SignIns'] as Array<{ Day: string; Count: number }>;
  assert.ok(signIns.filter(({ Count }) => Count > 0).length >= 25, JSON.stringify(signIns));
  const pending = await list<{ Status: string }>('Domain_List', { Tenant });
  assert.deepEqual(
    pending.map(({ Status }) => Status),
    ['pending'],
  );

  const endpoints = await list<Endpoint>('Webhooks_ListEndpoints', { Tenant });
  const healthOf = (name: string) => endpoints.find(({ Name }) => Name === name)?.Health;
  assert.equal(healthOf('Search index')?.State, 'delivering');
  assert.match(healthOf('Billing')?.State ?? '', /^(failing|paused)$/);
  assert.ok(Date.now() - Date.parse(healthOf('Billing')?.FailingSince ?? '') > dayMs);
  for (const { ID: Endpoint } of endpoints) {
    type Attempt = { DurationMs: number; StartedAt: string };
    const attempts = await list<Attempt>('Webhooks_ListAttempts', { Tenant, Endpoint });
    assert.ok(attempts.length > 20);
    assert.ok(attempts.every(({ DurationMs }) => DurationMs < 60_000));
  }

  const [, address] = /(\S+@acme\.example) +owns/.exec(first.run.output()) ?? [];
  const [, password] = /password of each is: (.+)/.exec(first.run.output()) ?? [];
  const { Token } = await call('Account_Login', { Email: address, Password: password });
  const mine = await call('Tenants_ListMine', {}, String(Token));
  assert.match(JSON.stringify(mine), /Acme Instruments/);

  pressCtrlC(first.run);
  assert.equal((await first.run.ended).code, 0);
  const second = await startDemo(t, dataDir);
  assert.equal(second.Tenant, Tenant);
  const known = new Set(entries.map(({ ID }) => ID));
  const after = await second.list<Entry>('Audit_List', { Tenant });
  assert.deepEqual(
    after.filter(({ ID, Action }) => !known.has(ID) && !Action.startsWith('webhook_endpoint.')),
    [],
  );
  assert.equal((await second.call('Audit_Verify', { Tenant }))['Valid'], true);
});

test('npm start --demo refuses an installation in use, and every start one whose filling was interrupted', async (t) => {
  const refused = async (dataDir: string, args: string[], message: RegExp): Promise<void> => {
    const run = npmStart(t, dataDir, { args: ['--single', ...args] });
    assert.equal((await run.ended).code, 2);
    assert.match(run.output(), message);
  };
  const dataDir = temporaryFolder(t);
  const usual = npmStart(t, dataDir, { args: ['--single'] });
  const { gateway } = await isUp(usual);
  const key = readFileSync(join(dataDir, 'platform-key'), 'utf8').trim();
  const User = { Email: 'ada@acme.example', Name: 'Ada' };
  bodyOf(await callerOf(gateway)('Users_Create', { User, Password: 'correct horse battery' }, key));
  pressCtrlC(usual);
  await usual.ended;
  await refused(dataDir, ['--demo'], /this one has users; delete the data folder/);

  const other = temporaryFolder(t);
  const filling = npmStart(t, other, { args: ['--single', '--demo'] });
  const log = join(other, 'logs/demo.log');
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('Groups_Save'), 120_000);
  pressCtrlC(filling);
  assert.equal((await filling.ended).code, 0);
  for (const args of [['--demo'], []])
    await refused(other, args, /filling of the demo was interrupted; delete the data folder/);
  await until(() => processesOf(other).length === 0);
});

test('npm start --demo refuses an address that other machines reach', async (t) => {
  for (const env of [
    { BAILIWICK_HOST: '0.0.0.0' },
    { BAILIWICK_PUBLIC_URL: 'https://id.example.com' },
  ]) {
    const run = npmStart(t, temporaryFolder(t), { args: ['--single', '--demo'], env });
    assert.equal((await run.ended).code, 2);
    assert.match(run.output(), /only this machine may reach it/);
  }
});
