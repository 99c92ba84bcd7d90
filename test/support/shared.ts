import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { breachedPasswords } from './breached.ts';
import {
  type OwnStack,
  type Reachable,
  reach,
  type Stack,
  startStack,
  type Topology,
} from './harness.ts';

// The test files of a run share started stacks: one for each topology and settings. Their tests
// only touch users, tenants and addresses of their own. A test needs its own stack (startStack) if
// it stops or kills a part, counts what others add, or changes what belongs to the platform.

type StackRequest = { topology: Topology; environment: Record<string, string> };
/** `readyAt`: when the stack had started, in milliseconds. */
type SharedStack = Reachable & { readyAt: number };

/** The origin of an application that the shared stacks allow. */
export const appOrigin = 'https://app.example.com';
/**
 * Many people of many test files come from one address, or from one that they name. Two origins may
 * use codes. One password is known from a breach.
 */
const common = {
  BAILIWICK_LIMITS: 'off',
  BAILIWICK_TRUSTED_PROXIES: '127.0.0.0/8',
  BAILIWICK_ALLOWED_ORIGINS: `${appOrigin},https://other.example.com`,
  BAILIWICK_EMAIL_CODES: 'on',
  BAILIWICK_BREACHED_PASSWORDS: breachedPasswords,
};

/** More than a lease (packages/broker/revocation/lease.ts). */
const settledMs = 2500;

/** A stack of the run, or an own one for a test file that runs by itself. `stop` ends the latter. */
export async function sharedStack(
  topology: Topology,
  settings: Record<string, string> = {},
): Promise<Stack> {
  return (await share(topology, settings)).stack;
}

/**
 * A shared stack for tests of revocations. A service that has just started waits for a whole lease in
 * each of them, because it may not know every cache yet.
 */
export async function settledStack(topology: Topology): Promise<Stack> {
  const { stack, readyAt } = await share(topology, {});
  await sleep(Math.max(0, readyAt + settledMs - Date.now()));
  return stack;
}

async function share(
  topology: Topology,
  settings: Record<string, string>,
): Promise<{ stack: Stack; readyAt: number }> {
  const environment = { ...common, ...settings };
  const keeper = process.env['BAILIWICK_TEST_STACKS'];
  if (keeper === undefined)
    return { stack: await startStack(topology, environment), readyAt: Date.now() };
  const request: StackRequest = { topology, environment };
  const response = await fetch(keeper, { method: 'POST', body: JSON.stringify(request) });
  if (!response.ok) throw new Error(`no shared stack: ${await response.text()}`);
  const { readyAt, ...reachable } = (await response.json()) as SharedStack;
  return { stack: { ...reach(reachable), stop: async () => {} }, readyAt };
}

/** Starts each stack when a test file first asks for it. `stop` stops them. */
export async function keepStacks(): Promise<{ url: string; stop(): Promise<void> }> {
  const stacks = new Map<string, Promise<{ stack: OwnStack; readyAt: number }>>();
  const start = async ({ topology, environment }: StackRequest) => ({
    stack: await startStack(topology, environment),
    readyAt: Date.now(),
  });
  const startOnce = (request: StackRequest) => {
    const key = JSON.stringify(request);
    const started = stacks.get(key) ?? start(request);
    stacks.set(key, started);
    return started;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { stack, readyAt } = await startOnce((await json(request)) as StackRequest);
      const { topology, folder, wiring, inboxUrl } = stack;
      const shared: SharedStack = { topology, folder, wiring, inboxUrl, readyAt };
      response.end(JSON.stringify(shared));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  return {
    url: `http://${loopback}:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      const ends = await Promise.allSettled(
        [...stacks.values()].map(async (starting) => {
          const started = await starting.catch(() => undefined);
          await started?.stack.stop();
        }),
      );
      const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      if (failures.length > 0) throw new Error(failures.map(String).join('\n'));
    },
  };
}
