import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { type TestContext, test } from 'node:test';
import { createCli } from './cli.ts';

// Output whose reader ends early. A minimal fake gateway suffices.

type Answer = object | ((response: ServerResponse) => void);

async function startGateway(t: TestContext, answers: Readonly<Record<string, Answer>>) {
  const operations: string[] = [];
  const server = createServer((request, response) => {
    const operation = (request.url ?? '').slice(1);
    operations.push(operation);
    request.resume();
    const answer = answers[operation] ?? {};
    if (typeof answer === 'function') return void answer(response);
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cli = createCli(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'bwks_x');
  t.after(() => {
    cli.remove();
    server.closeAllConnections();
    server.close();
  });
  /** A line of bash with `bailiwick` in it. */
  const bash = (line: string) => {
    const env = {
      NODE: process.execPath,
      MAIN: path.resolve(import.meta.dirname, '../../packages/cli/main.ts'),
    };
    return cli.run(['-c', `bailiwick() { "$NODE" "$MAIN" "$@"; }\n${line}`], {
      program: ['bash'],
      env,
    });
  };
  return { operations, cli, bash };
}

const page = (Items: unknown[], NextCursor = '') => ({ Page: { Items, NextCursor } });

test('apply makes its changes although its reader ends, and exits with its own code', async (t) => {
  const answers = { Roles_List: page([]), Access_Plan: { Gained: [], Lost: [], Warnings: [] } };
  const { operations, bash } = await startGateway(t, answers);
  const apply = `bailiwick apply --file - --tenant tnt_1 --yes <<< 'Roles: [{ Slug: a }, { Slug: b }]'`;
  const { code, stderr } = await bash(`${apply} | true; exit "\${PIPESTATUS[0]}"`);
  assert.deepEqual([code, stderr], [0, '2 changes were made\n']);
  assert.deepEqual(operations.slice(-2), ['Roles_Save', 'Roles_Save']);
  // The same if its messages have no reader.
  assert.equal((await bash(`${apply} 2>&1 | true; exit "\${PIPESTATUS[0]}"`)).code, 0);
  assert.equal(operations.filter((name) => name === 'Roles_Save').length, 4);
  const pending = await bash(
    `bailiwick plan --file - --tenant tnt_1 --detailed-exitcode <<< 'Roles: [{ Slug: a }]' | true; exit "\${PIPESTATUS[0]}"`,
  );
  assert.equal(pending.code, 3);
});

test('an endless list ends when its reader ends', { timeout: 60_000 }, async (t) => {
  const { bash } = await startGateway(t, { Groups_List: page([{ Path: 'eng' }], 'again') });
  const { code, stdout } = await bash(
    `bailiwick Groups_List --all --json | head -1; exit "\${PIPESTATUS[0]}"`,
  );
  assert.deepEqual([code, stdout], [0, '{"Path":"eng"}\n']);
});

test('an interrupted answer is reported, and a reader that ends early is no error', async (t) => {
  const breaksOff = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/csv' });
    response.write('ID,Time\r\n');
    setTimeout(() => response.destroy(), 50);
  };
  const broken = await startGateway(t, { Audit_Export: breaksOff });
  const { code, stdout, stderr } = await broken.cli.run(['Audit_Export', '--Tenant', 'tnt_1']);
  assert.deepEqual([code, stdout], [5, 'ID,Time\r\n']);
  assert.match(stderr, /^bailiwick: Audit_Export: the response was cut off/);
  const endless = await startGateway(t, {
    Audit_Export: (response) => void setInterval(() => response.write('a,b\r\n'), 1).unref(),
  });
  assert.deepEqual(
    await endless.bash(`bailiwick Audit_Export --Tenant tnt_1 | head -1; exit "\${PIPESTATUS[0]}"`),
    { code: 0, stdout: 'a,b\r\n', stderr: '' },
  );
});

test('a full disk is reported as an error', {
  skip: process.platform !== 'linux' && 'there is no /dev/full',
}, async (t) => {
  const { bash } = await startGateway(t, {
    Audit_Export: (response) => void response.end('ID,Time\r\n'),
  });
  const expected = {
    code: 1,
    stdout: '',
    stderr: 'bailiwick: the response cannot be written (ENOSPC)\n',
  };
  for (const line of ['--help', 'Audit_Export --Tenant tnt_1'])
    assert.deepEqual(await bash(`bailiwick ${line} > /dev/full`), expected, line);
});
