import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Wiring } from './environment.ts';
import { makeOperatorLink, mayShowLink } from './operator-link.ts';

test('the start prints the link of the first operator only to a terminal and on loopback', () => {
  const local = { host: '127.0.0.1', publicUrl: 'http://localhost:8080' };
  const terminal = { isTTY: true };
  assert.equal(mayShowLink(terminal, local, {}), true);
  assert.equal(mayShowLink(terminal, { ...local, publicUrl: 'http://[::1]:8080/iam' }, {}), true);
  // A stream to a file or to another program has no isTTY at all.
  assert.equal(mayShowLink({}, local, {}), false);
  assert.equal(mayShowLink({ isTTY: false }, local, {}), false);
  assert.equal(mayShowLink(terminal, local, { BAILIWICK_HOST: '0.0.0.0' }), false);
  const elsewhere = { ...local, publicUrl: 'https://id.example.com' };
  assert.equal(mayShowLink(terminal, elsewhere, {}), false);
});

test('the start says why it has no link, and says nothing of a failure as if there were an operator', async () => {
  const databaseUrl = 'postgres://127.0.0.1:1/none';
  const wiring = { databaseUrl, publicUrl: 'http://localhost:8080' } as Wiring;
  const lines: string[] = [];
  const link = await makeOperatorLink(wiring, process.env, (line) => lines.push(line));
  assert.equal(link, undefined);
  assert.match(lines.join(), /could not make the link for the first operator: .+/);
});
