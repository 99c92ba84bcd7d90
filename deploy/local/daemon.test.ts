import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { startDaemon } from './daemon.ts';
import { isAlive } from './pids.ts';
import { temporaryFolder, until } from './testing.ts';

const sleeper = { command: 'sleep', args: ['1000'], signal: 'SIGTERM' } as const;

test('startDaemon stops the server when its supervisor is killed', async (t) => {
  const dir = temporaryFolder(t);
  const script = join(dir, 'supervisor.mjs');
  writeFileSync(
    script,
    `import { startDaemon } from ${JSON.stringify(import.meta.resolve('./daemon.ts'))};
     const daemon = await startDaemon({ ...${JSON.stringify(sleeper)}, logFile: ${JSON.stringify(join(dir, 'log'))} });
     console.log(daemon.pid);`,
  );
  const supervisor = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(supervisor.stdout, 'data')) as [unknown];
  const pid = Number(String(line));
  assert.equal(isAlive(pid), true);
  supervisor.kill('SIGKILL');
  await until(() => !isAlive(pid));
});

test('startDaemon kills a server that does not stop in time', async (t) => {
  const logFile = join(temporaryFolder(t), 'log');
  const deaf = await startDaemon({
    command: '/bin/sh',
    args: ['-c', 'trap "" TERM; echo deaf; while :; do sleep 0.1; done'],
    signal: 'SIGTERM',
    logFile,
    graceMs: 200,
  });
  await until(() => readFileSync(logFile, 'utf8').includes('deaf'));
  await deaf.stop();
  assert.equal(isAlive(deaf.pid), false);
});

test('startDaemon reports a command that does not exist', async (t) => {
  const logFile = join(temporaryFolder(t), 'log');
  await assert.rejects(startDaemon({ ...sleeper, command: '/nowhere/server', logFile }), /ENOENT/);
});

test('a stopped daemon stays stopped, and stopping it again is harmless', async (t) => {
  const daemon = await startDaemon({ ...sleeper, logFile: join(temporaryFolder(t), 'log') });
  await Promise.all([daemon.stop(), daemon.stop()]);
  assert.equal(daemon.hasExited(), true);
  await daemon.kill();
});
