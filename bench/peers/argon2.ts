import { availableParallelism } from 'node:os';
import { createPasswords } from '@bailiwick/identity/passwords/passwords.ts';
import { median } from '@bailiwick/test/support/numbers.ts';
import { password } from '@bailiwick/test/support/people.ts';
import { verify } from '@node-rs/argon2';
import { serveBench } from '../peer.ts';

// The floor of every sign-in: only the hashes, one on each CPU at a time. It verifies the product's
// hash, so the parameters are the same.

const hash = await createPasswords().hash(password);

/** The number of hashes a second, and the time of a single one, in ms. */
async function measure(seconds: number) {
  const alone: number[] = [];
  for (let time = 0; time < 15; time++) {
    const began = performance.now();
    await verify(hash, password);
    alone.push(performance.now() - began);
  }
  const started = performance.now();
  let calls = alone.length;
  const worker = async () => {
    while (performance.now() - started < seconds * 1000) {
      await verify(hash, password);
      calls++;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return {
    calls,
    perSecond: ((calls - alone.length) * 1000) / (performance.now() - started),
    oneMs: median(alone),
  };
}

serveBench('ready', ({ seconds }: { seconds: number }) => measure(seconds));
