import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { exhausted } from '@bailiwick/shared/errors.ts';
import { gauge } from '@bailiwick/shared/metrics.ts';
import { hash, verify } from '@node-rs/argon2';
import { lowerHashThreads } from './hash-threads.ts';

/** argon2id as in RFC 9106's second choice for memory-constrained servers, OWASP's first: 19 MiB, two passes, one lane. */
export const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** How hashes of these parameters begin (PHC string format). */
const currentForm = `$argon2id$v=19$m=${parameters.memoryCost},t=${parameters.timeCost},p=${parameters.parallelism}$`;

/** Work beyond this many waiting hashes is refused rather than collapsing under them: at 7 ms each it is a wait of seconds. */
const maxWaiting = 400;

const queue = gauge({
  name: 'bailiwick_hash_queue',
  about: 'Passwords that wait to be hashed. At 400, sign-ins are refused.',
});

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes passwords, at most one on each CPU at a time. */
export function createPasswords() {
  const limit = availableParallelism();
  let running = 0;
  const waiting: Array<() => void> = [];
  queue.from(() => [{ value: waiting.length, labels: {} }]);

  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    if (running < limit) running++;
    else if (waiting.length < maxWaiting)
      await new Promise<void>((resolve) => waiting.push(resolve));
    else throw exhausted('too many sign-ins at once', 1);
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is given up.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  /** `beforehand` runs when it is this password's turn, however long it waited: what it throws saves the hash. */
  const hashOf = (password: string, beforehand?: () => Promise<void>) =>
    bounded(async () => {
      await beforehand?.();
      return hash(password.normalize('NFKC'), parameters);
    });
  // Nobody has this password: verifying against it costs what a real one costs and never holds.
  const decoy = hashOf(randomBytes(24).toString('base64'));
  // The first hash has made the threads.
  decoy.then(lowerHashThreads, () => {});

  return {
    hash: hashOf,
    /** Whether a hash was made with other parameters than today's: it is renewed at the next sign-in. */
    isOutdated: (passwordHash: string | null): boolean =>
      passwordHash !== null && !passwordHash.startsWith(currentForm),
    /** Whether the password is the hash's. Without a hash it does the same work and says no. */
    async verify(passwordHash: string | null | undefined, password: string): Promise<boolean> {
      const against = passwordHash ?? (await decoy);
      const holds = await bounded(() => verify(against, password.normalize('NFKC')));
      return holds && typeof passwordHash === 'string';
    },
  };
}
