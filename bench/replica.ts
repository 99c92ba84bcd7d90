import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentOf, type Wiring } from '@bailiwick/deploy/local/environment.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { startProcess } from '@bailiwick/deploy/local/processes.ts';
import { type ServiceName, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import { settingTables, singleSettings } from '@bailiwick/deploy/settings.ts';
import type { Stack, Topology } from '@bailiwick/test/support/harness.ts';
import { choosePorts } from '@bailiwick/test/support/own-stack.ts';

const root = path.resolve(import.meta.dirname, '..');
const pollMs = 5;
const limitMs = 30_000;

/** The program of each process of a topology. */
export const mainsOf = (topology: Topology): Map<ServiceName, string> =>
  topology === 'one process'
    ? new Map([['gateway', 'deploy/single.ts']])
    : new Map(
        serviceNames.map((name) => [
          name,
          name === 'gateway' ? 'gateway/main.ts' : `services/${name}/main.ts`,
        ]),
      );

/**
 * The time in seconds until a further replica of a stack's process is ready; of several, the
 * slowest.
 */
export async function slowestStart(stack: Stack, topology: Topology): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-replica-'));
  const free = await choosePorts();
  const took: number[] = [];
  for (const [name, main] of mainsOf(topology)) {
    const wiring: Wiring = {
      ...stack.wiring,
      ports: { ...stack.wiring.ports, [name]: free[name] },
    };
    const env = environmentOf(
      name,
      topology === 'one process' ? singleSettings : settingTables[name],
      wiring,
      { ...process.env, NODE_ENV: 'production' },
    );
    const began = performance.now();
    const replica = startProcess(
      { name, script: path.join(root, main), env },
      { logDir: folder, console: { say: () => {}, relay: () => {}, print: () => {} } },
    );
    await untilReady(`http://${loopback}:${free[name].admin}/readyz`);
    took.push((performance.now() - began) / 1000);
    await replica.stop();
  }
  rmSync(folder, { recursive: true, force: true });
  return Math.max(...took);
}

async function untilReady(url: string): Promise<void> {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await sleep(pollMs)) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
  }
  throw new Error(`${url} is not ready in time`);
}
