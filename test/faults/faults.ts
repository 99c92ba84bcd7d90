import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { eventually } from '../support/harness.ts';
import type { Product, Target } from './product.ts';

export const kinds = ['worker', 'service', 'gateway', 'broker', 'database'] as const;
export type Kind = (typeof kinds)[number];

type Options = { kills: number; seconds: number; random: () => number };

/**
 * Kills every kind of process with SIGKILL, each kind independently: after a restart it runs for a
 * random time, on average its share of `seconds`, and is killed again. Wipes the broker's store
 * once, in the middle.
 */
export async function injectFaults(
  { stack, targets }: Product,
  { kills, seconds, random }: Options,
) {
  const counts = { worker: 0, service: 0, gateway: 0, broker: 0, database: 0, wipes: 0 };
  const pickOf = (items: readonly Target[]) => items[Math.floor(random() * items.length)] as Target;
  const work = () => sleep((2000 * seconds * random()) / kills);
  const killOne = async (target: Target) => {
    const pid = await comeUp(target);
    await work();
    process.kill(pid, 'SIGKILL');
  };

  const one: Record<Kind, (index: number) => Promise<void>> = {
    worker: () => killOne(pickOf(targets.workers)),
    service: () => killOne(pickOf(targets.services)),
    gateway: () => killOne(targets.gateway),
    async broker(index) {
      await work();
      const isWiped = index === Math.floor(kills / 2);
      await (isWiped ? stack.broker.wipe() : stack.broker.kill());
      if (isWiped) counts.wipes++;
      await sleep(500 * random());
      await stack.broker.start();
    },
    async database() {
      await work();
      await stack.killDatabase();
      await sleep(500 * random());
      await stack.startDatabase();
    },
  };

  const run = async (kind: Kind) => {
    for (let index = 0; index < kills; index++) {
      await one[kind](index);
      counts[kind]++;
    }
  };
  await Promise.all(kinds.map(run));
  await Promise.all([...targets.workers, ...targets.services, targets.gateway].map(comeUp));
  return counts;
}

/** Waits until a process has started, and returns its pid. */
function comeUp({ managed, admin }: Target): Promise<number> {
  const started = () =>
    fetch(`http://${loopback}:${admin}/startupz`).then(
      ({ ok }) => ok,
      () => false,
    );
  return eventually(
    `${managed.name} to start`,
    async () => (await started()) && managed.pid(),
    120_000,
  );
}
