import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepRunning } from './keep.ts';
import { quiet, until } from './testing.ts';

/** A server that can be made to end, and counts its starts. */
function sample() {
  const ports: (number | undefined)[] = [];
  let crash = (): void => {};
  const start = async (port?: number) => {
    ports.push(port);
    if (ports.length === 2) throw new Error('the port is still busy');
    const exited = new Promise<void>((done) => {
      crash = done;
    });
    const end = async (): Promise<void> => crash();
    return { port: 4000, exited, stop: end, kill: end };
  };
  return { ports, start, crash: () => crash() };
}

test('keepRunning starts a server again on its port, and tries again when that fails', async () => {
  const { ports, start, crash } = sample();
  const kept = await keepRunning('it', start, quiet);
  crash();
  await until(() => ports.length === 3);
  assert.deepEqual(ports, [undefined, 4000, 4000]);
  await kept.stop();
});

test('keepRunning lets a server rest that was stopped', async () => {
  const { ports, start } = sample();
  const kept = await keepRunning('it', start, quiet);
  await kept.stop();
  await sleep(300);
  assert.equal(ports.length, 1);
});
