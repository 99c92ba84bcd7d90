import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentOf, type Wiring } from '@bailiwick/deploy/local/environment.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { startProcess } from '@bailiwick/deploy/local/processes.ts';
import { foldPorts, type ProcessPlan, shapes } from '@bailiwick/deploy/shapes.ts';
import type { Stack, Topology } from '@bailiwick/test/support/harness.ts';
import { choosePorts, shapeOf } from '@bailiwick/test/support/own-stack.ts';

const root = path.resolve(import.meta.dirname, '..');
const pollMs = 5;
const limitMs = 30_000;

/** The processes of a topology. */
export const processesOf = (topology: Topology): readonly ProcessPlan[] =>
  shapes[shapeOf[topology]];

/**
 * The time in seconds until a further replica of a stack's process is ready; of several, the
 * slowest.
 */
export async function slowestStart(stack: Stack, topology: Topology): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-replica-'));
  const free = foldPorts(shapeOf[topology], await choosePorts());
  const took: number[] = [];
  for (const { name, services, script, settings } of processesOf(topology)) {
    const [first] = services;
    const own = Object.fromEntries(services.map((service) => [service, free[service]]));
    const wiring: Wiring = { ...stack.wiring, ports: { ...stack.wiring.ports, ...own } };
    const env = environmentOf(first, settings, wiring, {
      ...process.env,
      NODE_ENV: 'production',
    });
    const began = performance.now();
    const replica = startProcess(
      { name, script: path.join(root, script), env },
      { logDir: folder, console: { say: () => {}, relay: () => {}, print: () => {} } },
    );
    await untilReady(`http://${loopback}:${free[first].admin}/readyz`);
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
