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
/** Enough at once that a call takes several times the least response time. */
const atOnce = 32;
/** The calls of one attempt, of which each loop's first ones warm up. */
const loadSamples = 1280;
const warmUp = 4;
/**
 * With 400 samples of each kind or more, the area of two equal distributions is within 0.5 ± 0.05 in 98 of 100 attempts
 * (standard error 0.020), and outside of it twice in a row in 4 of 10,000.
 */
const areaTolerance = 0.05;
const loadTries = 2;
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

  /** Calls with addresses of both kinds in a random order, many at once, and compares the two distributions of times. */
  async function compareUnderLoad(
    say: (line: string) => void,
    call: (address: string) => Promise<Answer>,
    known: readonly string[],
  ) {
    const strange = unknown(known.length);
    const seen: string[] = [];
    for (let attempt = 0; attempt < loadTries; attempt++) {
      const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
      const one = async () => {
        for (let index = 0; index < loadSamples / atOnce; index++) {
          const kind = Math.random() < 0.5 ? 'known' : 'unknown';
          const of = kind === 'known' ? known : strange;
          const ms = await took(() => call(of[Math.floor(Math.random() * of.length)] ?? ''), 200);
          if (index >= warmUp) times[kind].push(ms);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, one));
      assert.ok(times.known.length >= 400 && times.unknown.length >= 400);
      const area = areaUnderCurve(times.known, times.unknown);
      seen.push(
        `AUC ${area.toFixed(3)}, medians ${median(times.known).toFixed(0)} and ${median(times.unknown).toFixed(0)} ms`,
      );
      if (Math.abs(area - 0.5) <= areaTolerance) return say(seen.join('; '));
    }
    assert.fail(seen.join('; '));
  }

  test('under load, Account_RequestPasswordReset takes times that do not tell a known address from an unknown one', async (t) => {
    await compareUnderLoad(
      (line) => t.diagnostic(line),
      (Email) => stack.call('Account_RequestPasswordReset', { Email }),
      await create(100),
    );
  });

  test('under load, Account_ResendVerification takes times that do not tell a known address from an unknown one', async (t) => {
    const pending = unknown(100);
    for (const address of pending) await register(stack, address);
    await compareUnderLoad(
      (line) => t.diagnostic(line),
      (Email) => stack.call('Account_ResendVerification', { Email }),
      pending,
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

/**
 * How often a time of the one kind is above a time of the other (Mann and Whitney's U over the number of pairs): 0.5 where they
 * cannot be told apart.
 */
function areaUnderCurve(ones: readonly number[], others: readonly number[]): number {
  const all = [
    ...ones.map((ms) => ({ ms, isOne: true })),
    ...others.map((ms) => ({ ms, isOne: false })),
  ].sort((a, b) => a.ms - b.ms);
  let below = 0;
  let pairs = 0;
  for (const { isOne } of all) {
    if (isOne) pairs += below;
    else below++;
  }
  return pairs / (ones.length * others.length);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
