import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { credential, startGateway } from '@bailiwick/server/testing/gateway.ts';

// Runs the client of docs/follow.md, unchanged, against a gateway that speaks the page's protocol.

type Entry = { Value: unknown };
type Client = {
  ask(question: object): Promise<Entry>;
  isCurrent(entry: Entry): boolean;
  close(): void;
};
const question = { Subject: 'usr_1', Tenant: 'tnt_1' };
const Value = { Sets: [['app.reports.read']], Grants: { '': [0] } };

async function startClient(t: TestContext, welcome?: object) {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/follow.md'), 'utf8');
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(code.split('\n').length <= 61, 'the client has more than 60 lines');
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-follow-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, 'follow.mjs'), code);
  const { follow } = (await import(path.join(folder, 'follow.mjs'))) as {
    follow(url: string, key: string): Client;
  };
  const gateway = await startGateway(t, { answer: () => ({ Value }), welcomes: !welcome });
  const client = follow(gateway.url, credential);
  t.after(() => client.close());
  const connection = await gateway.connection(0);
  assert.equal((await connection.read('hello'))['Credential'], credential);
  if (welcome) connection.welcome(welcome);
  await connection.read('beat');
  return { gateway, client, connection };
}

test('the client keeps an answer until its drop, which it acknowledges', async (t) => {
  const { client, connection } = await startClient(t);
  const entry = await client.ask(question);
  assert.deepEqual(entry.Value, Value);
  assert.equal(client.isCurrent(entry), true);
  const { ID: _, ...ask } = await connection.read('ask');
  assert.deepEqual(ask, { Type: 'ask', ...question });
  await connection.drop(1);
  assert.equal(client.isCurrent(entry), false);
  assert.equal(client.isCurrent(await client.ask(question)), true);
});

test('the client keeps no answer whose drop came first, and no error', async (t) => {
  const { client, connection, gateway } = await startClient(t);
  gateway.script.answer = () => undefined;
  const answer = client.ask(question);
  const { ID } = await connection.read('ask');
  await connection.drop(7);
  connection.answer(ID, { Handle: 7, Value });
  await assert.rejects(answer, /unavailable/);
  gateway.script.answer = () => ({ Error: { Code: 'unauthenticated' }, Handle: undefined });
  await assert.rejects(client.ask(question), /unauthenticated/);
});

test('the client ends a lease by each clock, and its entries with it', async (t) => {
  const { client, gateway } = await startClient(t);
  for (const clock of [Date, performance]) {
    gateway.script.oks = true;
    // An answer without a lease is not kept.
    let entry: Entry | undefined;
    while (!entry) entry = await client.ask(question).catch(() => undefined);
    assert.equal(client.isCurrent(entry), true);
    gateway.script.oks = false;
    const before = clock.now.bind(clock);
    const moved = t.mock.method(clock, 'now', () => before() + 1600);
    assert.equal(client.isCurrent(entry), false);
    moved.mock.restore();
    assert.equal(client.isCurrent(entry), false);
  }
});

test('the client begins a new connection without entries', async (t) => {
  const { client, connection, gateway } = await startClient(t);
  const entry = await client.ask(question);
  connection.close(1001);
  const next = await gateway.connection(1);
  await next.read('beat');
  assert.equal(client.isCurrent(entry), false);
  let again: Entry | undefined;
  while (!again) again = await client.ask(question).catch(() => undefined);
  assert.equal(client.isCurrent(again), true);
  next.sendText('{"Type":"unknown"}');
  await next.closed();
  assert.equal(client.isCurrent(again), false);
});

test('the client forgets entries that are over, and all others at its end', async (t) => {
  const { client, connection, gateway } = await startClient(t);
  gateway.script.answer = () => ({ LastsMs: 20, Value });
  await client.ask(question);
  assert.deepEqual((await connection.read('forget'))['Handles'], [1]);
  gateway.script.answer = () => ({ Value });
  await client.ask(question);
  client.close();
  await connection.closed();
  assert.deepEqual((await connection.read('forget'))['Handles'], [2]);
});

test('the client beats as soon as a question ends its idle time', async (t) => {
  const { client, connection, gateway } = await startClient(t, { IdleBeatMs: 60_000 });
  // The client has its lease when it has acknowledged a drop.
  await connection.drop();
  gateway.script.answer = () => undefined;
  const answer = client.ask(question);
  const { ID } = await connection.read('ask');
  await connection.read('beat');
  connection.answer(ID, { Value });
  assert.equal(client.isCurrent(await answer), true);
});

test('the client ends a connection that answers an unknown question', async (t) => {
  const { client, connection, gateway } = await startClient(t);
  const entry = await client.ask(question);
  connection.answer(99, { Value });
  await gateway.connection(1);
  assert.equal(client.isCurrent(entry), false);
});
