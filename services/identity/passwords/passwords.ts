import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { exhausted } from '@bailiwick/errors';
import { gauge } from '@bailiwick/telemetry';
import { hash, hashRaw, verify } from '@node-rs/argon2';
import { lowerHashThreads } from './hash-threads.ts';
import { isImported, storedForm, verifyImported } from './imported/imported.ts';
import { type Compared, createImportedLane, timed } from './imported-lane.ts';
import { createLane } from './lane.ts';

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

const queue = gauge({
  name: 'bailiwick_hash_queue',
  about:
    'Password hashes waiting for a CPU, those of other systems at least tenfold. At 400, sign-ins are refused.',
});

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes passwords, at most one per CPU at a time, and fewer of other systems. */
export function createPasswords(cpus = availableParallelism()) {
  const own = createLane(cpus);
  const imported = createImportedLane(importedAtOnce(cpus), maxWaiting);
  const load = () => own.load() + imported.load();
  queue.from(() => [{ value: load(), labels: {} }]);

  function assertRoom(waiting: number): void {
    if (waiting >= maxWaiting) throw exhausted('too many sign-ins at once', 1);
  }

  /** Hashes wait in the lane of ours only, so the other lane does not refuse them. */
  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    assertRoom(own.load());
    return own.run(work);
  }

  /**
   * `beforehand` runs when the hash is about to start, however long it waited. It saves the hash by
   * throwing.
   */
  const hashOf = (password: string, beforehand?: () => Promise<void>) =>
    bounded(async () => {
      await beforehand?.();
      return hash(password.normalize('NFKC'), parameters);
    });
  // A hash of a random password: comparing with it takes as long as with a real one, and never
  // matches.
  const decoy = hashOf(randomBytes(24).toString('base64'));
  // The first hash has created the threads.
  decoy.then(lowerHashThreads, () => {});

  /**
   * Compares a password with a hash. Without a hash, it does the same work, and none matches. Every
   * account is refused at the same load: a refusal does not tell which kind of hash it has.
   */
  async function compare(
    stored: string | null | undefined,
    password: string,
    signal?: AbortSignal,
  ): Promise<Compared> {
    assertRoom(load());
    // It waits as long as a comparison with a hash of ours does, and then for its own lane.
    if (typeof stored === 'string' && isImported(stored))
      return imported.compare(
        () => own.run(async () => {}),
        () => verifyImported(stored, password),
        signal,
      );
    const against = stored ?? (await decoy);
    const normal = password.normalize('NFKC');
    const { holds, ms } = await own.run(() => timed(() => verify(against, normal)));
    return { holds: holds && typeof stored === 'string', ms };
  }

  return {
    hash: hashOf,
    /**
     * The stored form of a hash of another system. The next sign-in renews it. @throws
     * invalid_argument for an unknown form, and for a comparison that would take too long
     */
    adopt: (hash: string): Promise<string> => storedForm(hash, hashOf),
    /** The bare hash of a code with the salt of its set: it can be compared with all of the set. */
    digest: (code: string, salt: Uint8Array) =>
      bounded(() => hashRaw(code, { ...parameters, salt })),
    /**
     * Whether a hash was made with other parameters than the current ones. The next sign-in renews
     * it.
     */
    isOutdated: (passwordHash: string | null): boolean =>
      passwordHash !== null && !passwordHash.startsWith(currentForm),
    compare,
    passImported: imported.pass,
    verify: async (...sent: Parameters<typeof compare>): Promise<boolean> =>
      (await compare(...sent)).holds,
  };
}
