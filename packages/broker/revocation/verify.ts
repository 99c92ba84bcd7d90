import process from 'node:process';
import { inspect } from 'node:util';
import type { Host } from '@bailiwick/contract';
import { toServiceError } from '@bailiwick/errors';
import type { RightsKey } from './keys.ts';
import { revokersOf } from './logs.ts';

// A test mode of the caches of rights: each hit also loads afresh and compares. A cached value may
// differ only while the call that has changed it has not replied, so a revocation of one of its keys
// must follow. Otherwise a change forgets to revoke, or the value depends on something that has no
// key. docs/caches.md lists the dependencies of each value.

/** Set by tests only: it costs a load for each hit. No setting, since no installation needs it. */
const isOn = process.env['VERIFY_CACHES'] === 'true';

type Entry = { value: unknown; keys: readonly RightsKey[] };
type Difference = { name: string; entry: Entry; fresh: string };

/** The refusals that a load answers with. Other errors say nothing about the value. */
const refusals: readonly string[] = ['unauthenticated', 'permission_denied', 'not_found'];

/** A value as text. Functions count by their names. */
const textOf = (value: unknown): string =>
  inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null, sorted: true });

async function freshText(load: () => Promise<{ value: unknown }>): Promise<string | undefined> {
  try {
    return textOf((await load()).value);
  } catch (error) {
    const { code } = toServiceError(error);
    return refusals.includes(code) ? code : undefined;
  }
}

/** One line of the process's log, which the tests of a stack look for when it stops. */
function logDifference({ name, entry, fresh }: Difference): void {
  const message = 'a cached value differs, and no revocation explains it';
  const line = {
    level: 'error',
    message,
    name,
    keys: entry.keys,
    cached: textOf(entry.value),
    fresh,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Logs keys that a service has revoked although the values under them do not follow its log. */
function logUnexpected(service: Host, keys: readonly RightsKey[]): void {
  const message = 'a service has revoked a key that is not expected of it';
  process.stdout.write(`${JSON.stringify({ level: 'error', message, service, keys })}\n`);
}

type Options = {
  report?: (difference: Difference) => void;
  reportUnexpected?: (service: Host, keys: readonly RightsKey[]) => void;
  /** How long the call that has made a value differ may take to revoke its keys. */
  explainedWithinMs?: number;
};

export function createVerifier({
  report = logDifference,
  reportUnexpected = logUnexpected,
  explainedWithinMs = 2000,
}: Options = {}) {
  const differences = new Set<Difference>();

  function decide(difference: Difference): void {
    if (differences.delete(difference)) report(difference);
  }

  return {
    /** Compares the entry of a hit. `isHeld`: whether the cache may still use it. */
    async compare(
      name: string,
      entry: Entry,
      load: () => Promise<{ value: unknown }>,
      isHeld: () => boolean,
    ): Promise<void> {
      const fresh = await freshText(load);
      if (fresh === undefined || !isHeld()) return;
      if (fresh === textOf(entry.value)) return;
      const difference = { name, entry, fresh };
      differences.add(difference);
      setTimeout(decide, explainedWithinMs, difference).unref();
    },
    /** Notes a revocation, which explains differences of the values under its keys. */
    revoked(keys: readonly RightsKey[]): void {
      for (const difference of differences)
        if (difference.entry.keys.some((key) => keys.includes(key))) differences.delete(difference);
    },
    /** Reports keys in the log of a service that `revokersOf` does not expect there. */
    logged(service: Host, keys: readonly RightsKey[]): void {
      const unexpected = keys.filter((key) => !revokersOf(key).includes(service));
      if (unexpected.length > 0) reportUnexpected(service, unexpected);
    },
    /** Reports the differences that wait for a revocation: no call is left that could revoke. */
    end: (): void => differences.forEach(decide),
  };
}

/** The verifier of a cache in the test mode; undefined otherwise. */
export function testVerifier() {
  if (!isOn) return undefined;
  const verifier = createVerifier();
  process.on('exit', verifier.end);
  return verifier;
}
