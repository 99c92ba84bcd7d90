import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { denoEnvironment } from '@bailiwick/deploy/local/deno.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { trySignal } from '@bailiwick/deploy/local/pids.ts';
import { isUp, processesOf, temporaryFolder, until } from '@bailiwick/deploy/local/testing.ts';
import { deno, skip } from './deno.ts';

// `deno task …` on a machine with Deno and without Node: `node` and `npm` on the PATH fail.

function environment(t: TestContext): NodeJS.ProcessEnv {
  const bin = temporaryFolder(t);
  symlinkSync(deno, join(bin, 'deno'));
  for (const name of ['node', 'npm', 'npx']) symlinkSync('/bin/false', join(bin, name));
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(BAILIWICK_|npm_|NODE_|PORT$|DATABASE_URL$|NATS_URL$)/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    ...denoEnvironment,
    PATH: [bin, process.env['PATH']].join(delimiter),
  };
}

describe('Deno’s tasks, without a Node on the PATH', { skip }, () => {
  test('deno task start runs the five processes on Deno, and Ctrl-C ends all of it with 0', async (t) => {
    const dataDir = temporaryFolder(t);
    const env = {
      ...environment(t),
      PORT: '0',
      BAILIWICK_INBOX_PORT: '0',
      BAILIWICK_DATA: dataDir,
    };
    const child = spawn(deno, ['task', 'start'], {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    t.after(() => trySignal(-(child.pid ?? 0), 'SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += String(chunk)));
    const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    const { gateway } = await isUp({ child, output: () => output, ended });
    assert.equal((await fetch(`${gateway}/readyz`)).status, 200);
    const commands = processesOf(dataDir).map(
      (pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '',
    );
    assert.deepEqual(
      commands.filter((command) => command.endsWith('/node')),
      [],
    );
    trySignal(-(child.pid ?? 0), 'SIGINT');
    assert.equal((await ended).code, 0, output);
    await until(() => processesOf(dataDir).length === 0);
  });

  test('deno task test runs tests, and deno task identity lists its missing settings', async (t) => {
    const env = environment(t);
    const { stdout } = await promisify(execFile)(
      deno,
      ['task', 'test', 'packages/contract/registry.test.ts'],
      {
        cwd: root,
        env,
      },
    );
    assert.match(stdout, /^ok \| \d+ passed \| 0 failed/m);
    const refused = await promisify(execFile)(deno, ['task', 'identity'], { cwd: root, env }).then(
      () => assert.fail('it started'),
      (error: { code: number; stdout: string }) => error,
    );
    assert.equal(refused.code, 78);
    assert.match(refused.stdout, /BAILIWICK_CALLER_KEY_FILE is required/);
  });
});
