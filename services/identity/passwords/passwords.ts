import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';

import { toServiceError } from '@bailiwick/errors';
import { gauge } from '@bailiwick/process';
import { hash, hashRaw, verify } from '@node-rs/argon2';
import { lowerHashThreads } from './hash-threads.ts';
import { isImported, spellingsOf, storedForm, verifyImported } from './imported/imported.ts';
import { type Compared, createImportedLane, type Waiter } from './imported-lane.ts';
import { createLane, tooManySignIns, waitUntil } from './lane.ts';

/**
 * argon2id: second choice of RFC 9106 for low memory, first of OWASP: 19 MiB, two passes, one lane.
 */
export const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The prefix of hashes with these parameters (PHC string format). */
const currentForm = `$argon2id$v=19$m=${parameters.memoryCost},t=${parameters.timeCost},p=${parameters.parallelism}$`;

/** Hashes that may wait before more are refused. At 7 ms each, this is a wait of seconds. */
const maxWaiting = 400;
/**
 * Comparisons with hashes of other systems at the same time. Each may take 128 MiB and a thread for
 * a second. Node hashes in four threads, and two of them remain for all other sign-ins.
 */
const importedAtOnce = (cpus: number): number => Math.max(1, Math.min(2, Math.floor(cpus / 2)));

const ownQueue = gauge({
  name: 'bailiwick_hash_queue',
  about: 'Password hashes waiting for a CPU. At 400, sign-ins are refused.',
});
const importedQueue = gauge({
  name: 'bailiwick_imported_hash_queue',
  about:
    'Comparisons with hashes of other systems waiting for a slot. When they would take 5 seconds, sign-ins of users with such hashes are refused.',
});

type HashOptions = { beforehand?: () => Promise<void>; until?: number };

/**
 * Compares each spelling of a password in a turn of its own, until one matches or the client has
 * gone. `ms`: of the longest comparison alone. If the lane is full after the first one, the password
 * is wrong: a refusal would not count, and a client that fills the lane could guess without a limit.
 */
export async function inEachSpelling(
  password: string,
  { signal }: Waiter,
  compare: (spelling: string) => Promise<Compared>,
): Promise<Compared> {
  const [first = password, ...others] = spellingsOf(password);
  const compared = await compare(first);
  let longest = compared.ms;
  if (compared.holds || signal?.aborted) return compared;
  for (const spelling of others) {
    const { holds, ms } = await compare(spelling).catch(wrongIfFull);
    longest = Math.max(longest, ms);
    if (holds || signal?.aborted) return { holds, ms: longest };
  }
  return { holds: false, ms: longest };
}

function wrongIfFull(thrown: unknown): Compared {
  if (toServiceError(thrown).code !== 'resource_exhausted') throw thrown;
  return { holds: false, ms: 0 };
}

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes passwords, at most one per CPU at a time, and fewer of other systems. */
export function createPasswords(cpus = availableParallelism()) {
  const own = createLane(cpus);
  const imported = createImportedLane(importedAtOnce(cpus));
  ownQueue.from(() => [{ value: own.load(), labels: {} }]);
  importedQueue.from(() => [{ value: imported.load(), labels: {} }]);

  async function bounded<T>(work: () => Promise<T>, until = waitUntil()): Promise<T> {
    if (own.load() >= maxWaiting) throw tooManySignIns();
    return own.run(work, { until });
  }

  /**
   * `beforehand` runs when the hash is about to start, however long it waited. It saves the hash by
   * throwing. `until`: when the hash is refused instead of waiting on.
   */
  const hashOf = (password: string, { beforehand, until }: HashOptions = {}) =>
    bounded(async () => {
      await beforehand?.();
      return hash(password.normalize('NFKC'), parameters);
    }, until);
  // A hash of a random password: comparing with it takes as long as with a real one, and never
  // matches.
  const decoy = hashOf(randomBytes(24).toString('base64'));
  // The first hash has created the threads.
  decoy.then(lowerHashThreads, () => {});

  /** Compares with a hash of ours. Without one, it does the same work, and none matches. */
  async function compareOwn(
    stored: string | null | undefined,
    password: string,
    until?: number,
  ): Promise<boolean> {
    const normal = password.normalize('NFKC');
    const holds = await bounded(async () => verify(stored ?? (await decoy), normal), until);
    return holds && typeof stored === 'string';
  }

  /** The wait of a comparison with a hash of ours: those with other hashes wait for both lanes. */
  const ownTurn = (waiter: Waiter) => () => bounded(async () => {}, waiter.until);

  /** @throws resource_exhausted if the lane of hashes of other systems is full */
  const compareImported = (stored: string, password: string, waiter: Waiter): Promise<Compared> =>
    inEachSpelling(password, waiter, (spelling) =>
      imported.compare(ownTurn(waiter), () => verifyImported(stored, spelling), waiter),
    );

  return {
    hash: hashOf,
    /**
     * The stored form of a hash of another system. The next sign-in renews it. @throws
     * invalid_argument for an unknown form, and for a comparison that would take too long
     */
    adopt: (hash: string): Promise<string> => storedForm(hash, (digits) => hashOf(digits)),
    /** The bare hash of a code with the salt of its set: it can be compared with all of the set. */
    digest: (code: string, salt: Uint8Array) =>
      bounded(() => hashRaw(code, { ...parameters, salt })),
    /**
     * Whether a hash was made with other parameters than the current ones. The next sign-in renews
     * it.
     */
    isOutdated: (passwordHash: string | null): boolean =>
      passwordHash !== null && !passwordHash.startsWith(currentForm),
    compareImported,
    /**
     * Compares as for an account with a hash of another system, for an address without an account:
     * with the same waits and refusals, which all come before the comparison.
     */
    async imitateImported(
      stored: string | null | undefined,
      password: string,
      waiter: Waiter,
    ): Promise<boolean> {
      await inEachSpelling(password, waiter, async () => {
        await imported.imitate(ownTurn(waiter), waiter);
        return { holds: false, ms: 0 };
      });
      return compareOwn(stored, password, waiter.until);
    },
    /** Compares with a hash of any kind. */
    verify: async (
      stored: string | null | undefined,
      password: string,
      waiter: Waiter = { client: '', until: waitUntil() },
    ): Promise<boolean> =>
      typeof stored === 'string' && isImported(stored)
        ? (await compareImported(stored, password, waiter)).holds
        : compareOwn(stored, password, waiter.until),
  };
}
