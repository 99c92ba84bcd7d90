import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodyOf } from '../answers.ts';
import { type Answer, type Stack, startStack } from '../harness.ts';
import { mailTo, newAddress, password, register } from '../people.ts';

// An answer that is quicker for unknown addresses tells who has an account, however alike the words are.

/** Medians may differ by this share, or by this much: less than what a network between adds by chance. */
const share = 0.25;
const leastMs = 3;
/** A busy machine can favour one side once, and not over and over. */
const tries = 3;
/** Fewer than the wrong passwords from which on an account waits. */
const guesses = 4;

describe('known and unknown addresses are answered after the same time', () => {
  let stack: Stack;
  before(async () => {
    stack = await startStack('five processes', { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  const create = async (count: number): Promise<string[]> => {
    const addresses = Array.from({ length: count }, () => newAddress());
    for (const Email of addresses)
      bodyOf(
        await stack.call(
          'Users_Create',
          { User: { Email }, Password: password },
          stack.platformKey,
        ),
      );
    return addresses;
  };
  const unknown = (count: number) => Array.from({ length: count }, () => newAddress('nobody'));
  const repeated = (addresses: readonly string[], times: number) =>
    addresses.flatMap((address) => Array.from({ length: times }, () => address));

  async function took(call: () => Promise<Answer>, status: number): Promise<number> {
    const began = performance.now();
    const answer = await call();
    const ms = performance.now() - began;
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return ms;
  }

  /** Calls with an address of the one kind and of the other in turn, and compares the medians. */
  async function compare(
    say: (line: string) => void,
    call: (address: string) => Promise<Answer>,
    status: number,
    kinds: () => Promise<[string[], string[]]>,
  ) {
    const seen: string[] = [];
    for (let attempt = 0; attempt < tries; attempt++) {
      const [known, strange] = await kinds();
      const times: [number[], number[]] = [[], []];
      for (const [index, address] of known.entries()) {
        const pair = [
          [0, address],
          [1, strange[index] ?? assert.fail()],
        ] as const;
        // What one call leaves to be done after its answer burdens the next: neither kind is always the next.
        for (const [kind, to] of index % 2 === 0 ? pair : pair.toReversed())
          times[kind].push(await took(() => call(to), status));
      }
      // The first ones warm up.
      const [one, other] = times.map((all) => median(all.slice(4))) as [number, number];
      seen.push(`known ${one.toFixed(2)} ms, unknown ${other.toFixed(2)} ms`);
      const difference = Math.abs(one - other);
      if (difference < leastMs || difference < share * Math.min(one, other))
        return say(seen.join('; '));
    }
    assert.fail(seen.join('; '));
  }

  test('Account_Login', async (t) => {
    await compare(
      (line) => t.diagnostic(line),
      (Email) => stack.call('Account_Login', { Email, Password: 'wrong password' }),
      401,
      async () => [repeated(await create(12), guesses), repeated(unknown(12), guesses)],
    );
  });

  test('Account_Register', async (t) => {
    await compare(
      (line) => t.diagnostic(line),
      (Email) => stack.call('Account_Register', { Email, Password: password }),
      200,
      async () => [await create(25), unknown(25)],
    );
  });

  test('Account_RequestPasswordReset', async (t) => {
    await compare(
      (line) => t.diagnostic(line),
      (Email) => stack.call('Account_RequestPasswordReset', { Email }),
      200,
      async () => [repeated(await create(10), 5), unknown(50)],
    );
  });

  test('Account_ResendVerification', async (t) => {
    await compare(
      (line) => t.diagnostic(line),
      (Email) => stack.call('Account_ResendVerification', { Email }),
      200,
      async () => {
        const pending = unknown(10);
        for (const address of pending) await register(stack, address);
        await mailTo(stack, pending.at(-1) ?? '');
        return [repeated(pending, 5), unknown(50)];
      },
    );
  });
});

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
