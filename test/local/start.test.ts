import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { trySignal } from '@bailiwick/deploy/local/pids.ts';
import { startPostgres } from '@bailiwick/deploy/local/postgres.ts';
import {
  isUp,
  npmStart,
  pressCtrlC,
  processesOf,
  quiet,
  temporaryFolder,
  until,
} from '@bailiwick/deploy/local/testing.ts';

for (const args of [[], ['--compact'], ['--single']]) {
  test(`${['npm start', ...args].join(' ')} is ready when it says so, keeps its data, and Ctrl-C ends all of it with 0`, async (t) => {
    const dataDir = temporaryFolder(t);
    const first = npmStart(t, dataDir, { args });
    const { gateway, inbox } = await isUp(first);
    assert.equal((await fetch(`${gateway}/readyz`)).status, 200);
    assert.deepEqual(await (await fetch(`${inbox}/messages`)).json(), []);
    const key = readFileSync(join(dataDir, 'platform-key'), 'utf8').trim();
    const password = readFileSync(join(dataDir, 'postgres/password'), 'utf8').trim();
    for (const secret of [key, password])
      assert.ok(!first.output().includes(secret), 'the output has a secret');
    assert.match(first.output(), /platform key +\S+\/platform-key/);
    assert.match(readFileSync(join(dataDir, 'worker-token'), 'utf8'), /^bwkw_/);

    const second = npmStart(t, dataDir, { args });
    assert.notEqual((await second.ended).code, 0);
    assert.match(second.output(), /already running on/);

    pressCtrlC(first);
    await until(() => first.output().includes('stopping'));
    pressCtrlC(first); // as from `deno task`, which forwards the signal that the terminal sends to the whole group
    assert.deepEqual(await first.ended, { code: 0, signal: null });
    await until(() => processesOf(dataDir).length === 0);

    const again = npmStart(t, dataDir, { args });
    await isUp(again);
    assert.equal(readFileSync(join(dataDir, 'platform-key'), 'utf8').trim(), key);
    trySignal(again.child.pid ?? 0, 'SIGTERM'); // to npm alone, as a service manager would
    assert.equal((await again.ended).code, 0);
    await until(() => processesOf(dataDir).length === 0);
  });
}

test('npm start leaves nothing behind if all of its processes are killed', async (t) => {
  const dataDir = temporaryFolder(t);
  const run = npmStart(t, dataDir);
  await isUp(run);
  trySignal(-(run.child.pid ?? 0), 'SIGKILL');
  await until(() => processesOf(dataDir).length === 0);
});

test('npm start with a DATABASE_URL without a database reports in one line what to do, and ends', async (t) => {
  const server = await startPostgres({ dataDir: temporaryFolder(t), durable: false, log: quiet });
  t.after(() => server.stop());
  const withParts = (parts: Partial<Pick<URL, 'hostname' | 'port' | 'password' | 'pathname'>>) =>
    Object.assign(new URL(server.url), parts).href;
  const cases: Array<[url: string, expected: RegExp]> = [
    [
      withParts({ port: '9' }),
      /^DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:9; start it, or correct the host and port$/,
    ],
    [
      withParts({ hostname: 'no-such-host.invalid' }),
      /^DATABASE_URL: the host no-such-host\.invalid is unknown; /,
    ],
    [
      withParts({ password: 'wrong' }),
      /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ refuses the login of postgres; /,
    ],
    [
      withParts({ pathname: '/nowhere' }),
      /^DATABASE_URL: the database nowhere does not exist at 127\.0\.0\.1:\d+; create it, /,
    ],
  ];
  for (const [DATABASE_URL, expected] of cases) {
    const run = npmStart(t, temporaryFolder(t), { env: { DATABASE_URL } });
    assert.equal((await run.ended).code, 1);
    const [starting, problem, ...more] = run.output().trim().split('\n');
    assert.match(starting ?? '', /^starting Bailiwick/);
    assert.match(problem ?? '', expected);
    assert.deepEqual(more, []);
  }
});

test('npm start names a taken port, and an unknown argument or variable', async (t) => {
  const dataDir = temporaryFolder(t);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const cases: [options: Parameters<typeof npmStart>[2], expected: string][] = [
    [{ env: { PORT: String(port) } }, `port ${port} is taken, and the gateway needs it`],
    [
      { env: { BAILIWICK_INBOX_PORT: String(port) } },
      `port ${port} is taken, and the inbox needs it`,
    ],
    [{ env: { BAILIWICK_DATTA: '/x' } }, 'no process reads BAILIWICK_DATTA'],
    [{ args: ['--sinlge'] }, 'unknown argument --sinlge'],
  ];
  for (const [options, expected] of cases) {
    const run = npmStart(t, dataDir, options);
    assert.notEqual((await run.ended).code, 0);
    assert.ok(run.output().includes(expected), run.output());
  }
});
