import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type TestContext, test } from 'node:test';
import type { Console } from './console.ts';
import { isAlive } from './pids.ts';
import { type ManagedProcess, startProcess } from './processes.ts';
import { quiet, temporaryFolder, until } from './testing.ts';

const obedient = `process.on('SIGTERM', () => { console.log('stopping on SIGTERM'); process.exit(0); });
process.on('disconnect', () => process.exit(0));
console.log('up ' + process.pid);
setInterval(() => {}, 1000);`;

function run(t: TestContext, source: string): { process: ManagedProcess; lines: string[] } {
  const dir = temporaryFolder(t);
  const script = join(dir, 'service.mjs');
  writeFileSync(script, source);
  const lines: string[] = [];
  const console: Console = {
    say: quiet,
    print: quiet,
    relay: (name, line) => lines.push(`${name}: ${line}`),
  };
  const started = startProcess(
    { name: 'sample', script, env: process.env },
    { logDir: dir, console },
  );
  t.after(() => started.stop());
  return { process: started, lines };
}

const has = (lines: string[], text: string) =>
  until(() => lines.some((line) => line.includes(text)));

test('startProcess shows and logs the output of a process, and stops it with SIGTERM', async (t) => {
  const { process: sample, lines } = run(t, obedient);
  await has(lines, 'sample: up');
  const pid = sample.pid() as number;
  await sample.stop();
  assert.equal(isAlive(pid), false);
  assert.equal(sample.pid(), undefined);
  assert.match(readFileSync(sample.logFile, 'utf8'), /^up \d+\nstopping on SIGTERM\n$/);
});

test('startProcess restarts a process that ends unexpectedly, with growing pauses', async (t) => {
  const { lines } = run(t, 'process.exit(3)');
  await has(lines, '(code 3); starting it again in 0.2 s');
  await has(lines, '(code 3); starting it again in 0.4 s');
});

test('startProcess does not restart a stopped process', async (t) => {
  const { process: sample, lines } = run(t, 'process.exit(3)');
  await has(lines, 'starting it again in 0.2 s');
  await sample.stop();
  const count = lines.length;
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(lines.length, count);
});

test('a process notices that its parent was killed', async (t) => {
  const dir = temporaryFolder(t);
  const child = join(dir, 'child.mjs');
  const parent = join(dir, 'parent.mjs');
  writeFileSync(child, obedient);
  writeFileSync(
    parent,
    `import { startProcess } from ${JSON.stringify(import.meta.resolve('./processes.ts'))};
     startProcess({ name: 'x', script: ${JSON.stringify(child)}, env: process.env }, {
       logDir: ${JSON.stringify(dir)}, console: { say() {}, print() {}, relay: (_, line) => console.log(line) } });`,
  );
  const supervisor = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  supervisor.stdout.on('data', (chunk) => (output += String(chunk)));
  await until(() => /up \d+\n/.test(output));
  const pid = Number(/up (\d+)/.exec(output)?.[1]);
  supervisor.kill('SIGKILL');
  await until(() => !isAlive(pid));
});
