import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { exhausted } from '@bailiwick/errors';
import { gauge } from '@bailiwick/telemetry';
import { hash, hashRaw, verify } from '@node-rs/argon2';
import { lowerHashThreads } from './hash-threads.ts';
import { isImported, storedForm, verifyImported } from './imported/imported.ts';

/**
 * argon2id: second choice of RFC 9106 for low memory, first of OWASP: 19 MiB, two passes, one lane.
 */
export const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The prefix of hashes with these parameters (PHC string format). */
const currentForm = `$argon2id$v=19$m=${parameters.memoryCost},t=${parameters.timeCost},p=${parameters.parallelism}$`;

/** Hashes that may wait before more are refused. At 7 ms each, this is a wait of seconds. */
const maxWaiting = 400;
/** The same for comparisons with hashes of other systems, which may take a hundred times as long. */
const maxWaitingImported = 40;

const queue = gauge({
  name: 'bailiwick_hash_queue',
  about: 'Password hashes waiting for a CPU. At 400, sign-ins are refused.',
});

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes passwords, at most one per CPU at a time. */
export function createPasswords() {
  const limit = availableParallelism();
  let running = 0;
  const waiting: Array<() => void> = [];
  queue.from(() => [{ value: waiting.length, labels: {} }]);

  async function bounded<T>(work: () => Promise<T>, room = maxWaiting): Promise<T> {
    if (running < limit) running++;
    else if (waiting.length < room) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw exhausted('too many sign-ins at once', 1);
    try {
      return await work();
    } finally {
      // Passes the slot to the next in line, or frees it.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
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
    /** Compares a password with a hash. Without a hash, it does the same work and returns false. */
    async verify(passwordHash: string | null | undefined, password: string): Promise<boolean> {
      if (typeof passwordHash === 'string' && isImported(passwordHash))
        return bounded(() => verifyImported(passwordHash, password), maxWaitingImported);
      const against = passwordHash ?? (await decoy);
      const holds = await bounded(() => verify(against, password.normalize('NFKC')));
      return holds && typeof passwordHash === 'string';
    },
  };
}
