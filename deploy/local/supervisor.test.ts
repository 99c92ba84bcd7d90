import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { supervise } from './supervisor.ts';
import { quiet, until } from './testing.ts';

/** A server that a test can crash, and that records its starts. */
function sample() {
  const ports: (number | undefined)[] = [];
  let crash = (): void => {};
  const start = async (port?: number) => {
    ports.push(port);
    if (ports.length === 2) throw new Error('the port is still busy');
    const exited = new Promise<void>((resolve) => {
      crash = resolve;
    });
    const end = async (): Promise<void> => crash();
    return { port: 4000, exited, stop: end, kill: end };
  };
  return { ports, start, crash: () => crash() };
}

test('supervise restarts a server on its port, and retries a failed restart', async () => {
  const { ports, start, crash } = sample();
  const supervised = await supervise('it', start, quiet);
  crash();
  await until(() => ports.length === 3);
  assert.deepEqual(ports, [undefined, 4000, 4000]);
  await supervised.stop();
});

test('supervise does not restart a stopped server', async () => {
  const { ports, start } = sample();
  const supervised = await supervise('it', start, quiet);
  await supervised.stop();
  await sleep(300);
  assert.equal(ports.length, 1);
});
