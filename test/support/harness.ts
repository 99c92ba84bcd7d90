import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Wiring } from '@bailiwick/deploy/local/environment.ts';
import { ensureSecrets, type ServiceName } from '@bailiwick/deploy/local/secrets.ts';
import type { SettingTable } from '@bailiwick/process';
import type { TestDatabase } from './database.ts';

// The topologies, and calls to a running stack.

/** The code that the processes run: a tree of this repository, and its settings. */
export type Version = { root: string; settingTables: Record<ServiceName, SettingTable> };

/**
 * `deno` runs the processes instead of this Node. `database` is dropped with the stack. With
 * `brokers: 3` the broker is a cluster.
 */
export type StackOptions = {
  ownServer?: boolean;
  brokers?: 1 | 3;
  ports?: Wiring['ports'];
  deno?: string | undefined;
  database?: TestDatabase;
  version?: Version;
};

export type Topology =
  | 'five processes'
  | 'five processes over gRPC'
  | 'two processes'
  | 'one process';

export type Answer = {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { Messages?: string[]; Code?: string };
};

export type OwnStack = Awaited<ReturnType<typeof startStack>>;

/** A stack that test files may share: see shared.ts. */
export type Stack = ReturnType<typeof reach> & { stop(): Promise<void> };

/** Runs a suite with five processes and with one. */
export function describeBoth(name: string, suite: (topology: Topology) => void): void {
  for (const topology of ['five processes', 'one process'] as const)
    describe(`${name} (${topology})`, () => suite(topology));
}

/** Runs a suite whose rules do not depend on the calls between the services. */
export function describeOne(
  name: string,
  topology: Topology,
  suite: (topology: Topology) => void,
): void {
  describe(`${name} (${topology})`, () => suite(topology));
}

/** Runs a suite as describeBoth and with gRPC, for suites with all kinds of internal calls. */
export function describeAll(name: string, suite: (topology: Topology) => void): void {
  describeBoth(name, suite);
  describe(`${name} (five processes over gRPC)`, () => suite('five processes over gRPC'));
}

/**
 * Starts the product: see own-stack.ts. Loaded only here, because most test files share a stack and
 * the settings of all services take half a second of CPU to load.
 */
export async function startStack(
  topology: Topology,
  environment: Record<string, string> = {},
  options: StackOptions = {},
) {
  const { startOwnStack } = await import('./own-stack.ts');
  return startOwnStack(topology, environment, options);
}

/** How a test file reaches a stack that it shares. */
export type Reachable = {
  topology: Topology;
  folder: string;
  wiring: Omit<Wiring, 'secrets'>;
  inboxUrl: string;
};

/** Calls a running stack and looks into it, but neither stops nor kills its parts. */
export function reach({ topology, folder, wiring: localWiring, inboxUrl }: Reachable) {
  const secrets = ensureSecrets(folder);
  const wiring: Wiring = { ...localWiring, secrets };
  return {
    topology,
    url: wiring.publicUrl,
    folder,
    databaseUrl: wiring.databaseUrl,
    inboxUrl,
    platformKey: readFileSync(secrets.platformKeyFile, 'utf8').trim(),
    workerToken: readFileSync(secrets.workerTokenFile, 'utf8').trim(),
    wiring,

    logOf(service: ServiceName): string {
      return readFileSync(path.join(folder, 'logs', `${processOf(topology, service)}.log`), 'utf8');
    },

    call: callerOf(wiring.publicUrl),
  };
}

/** The process that holds a service (deploy/shapes.ts, which loads the settings of all). */
export function processOf(topology: Topology, service: ServiceName): string {
  if (topology === 'one process') return 'bailiwick';
  if (topology !== 'two processes') return service;
  return service === 'notifications' ? 'deliver' : 'serve';
}

/** Calls operations of the gateway at `url` with JSON as in the API reference. */
export const callerOf =
  (url: string) =>
  async (
    operation: string,
    body: unknown,
    token?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(`${url}/${operation}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Answer['body'],
    };
  };

/**
 * Waits until `look` returns a value other than false. @throws after `limitMs`, with `what`. The
 * default limit is for a machine with much else to do, and proves nothing about speed.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  limitMs = 60_000,
): Promise<T> {
  for (const deadline = Date.now() + limitMs; ; await sleep(50)) {
    const state = await look();
    if (state !== undefined && state !== false) return state;
    if (Date.now() > deadline) throw new Error(`timed out waiting for ${what}`);
  }
}
