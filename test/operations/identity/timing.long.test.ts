import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodyOf } from '../../support/answers.ts';
import { type Answer, type Stack, startStack } from '../../support/harness.ts';
import { mailTo, newAddress, password, register } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';

// A faster answer for unknown addresses discloses who has an account, even if the text is the same.

/** Medians may differ by this share, or by this much: less than the random delay of a network. */
const share = 0.25;
const leastMs = 3;
/** A busy machine can favour one side once, but not several times. */
const tries = 3;
/** Enough concurrent calls that each takes several times the least response time. */
const atOnce = 32;
/** The calls of one attempt. The first calls of each loop warm up and are not measured. */
const loadSamples = 1280;
const warmUp = 4;
/**
 * With at least 400 samples of each kind, the area of two equal distributions is within 0.5 ± 0.05
 * in 98 of 100 attempts (standard error 0.020), and outside of it twice in a row in 4 of 10,000.
 */
const areaTolerance = 0.05;
const loadTries = 2;
/** Fewer wrong passwords than lock an account. */
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
  const unknown = (count: number) => Array.from({ length: count }, () => newAddress('unknown'));
  const repeated = (addresses: readonly string[], times: number) =>
    addresses.flatMap((address) => Array.from({ length: times }, () => address));

  async function took(call: () => Promise<Answer>, status: number): Promise<number> {
    const began = performance.now();
    const answer = await call();
    const ms = performance.now() - began;
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return ms;
  }

  /** Calls with known and unknown addresses in turn, and compares the medians. */
  async function compare(
    say: (line: string) => void,
    call: (address: string) => Promise<Answer>,
    status: number,
    kinds: () => Promise<[string[], string[]]>,
  ) {
    const measurements: string[] = [];
    for (let attempt = 0; attempt < tries; attempt++) {
      const [addresses, unknownAddresses] = await kinds();
      const times: [number[], number[]] = [[], []];
      for (const [index, address] of addresses.entries()) {
        const pair = [
          [0, address],
          [1, unknownAddresses[index] ?? assert.fail()],
        ] as const;
        // The work that one call leaves after its answer slows the next call, so the order
        // alternates.
        for (const [kind, to] of index % 2 === 0 ? pair : pair.toReversed())
          times[kind].push(await took(() => call(to), status));
      }
      // The first ones warm up.
      const [knownMs, unknownMs] = times.map((all) => median(all.slice(4))) as [number, number];
      measurements.push(`known ${knownMs.toFixed(2)} ms, unknown ${unknownMs.toFixed(2)} ms`);
      const difference = Math.abs(knownMs - unknownMs);
      if (difference < leastMs || difference < share * Math.min(knownMs, unknownMs))
        return say(measurements.join('; '));
    }
    assert.fail(measurements.join('; '));
  }

  test('Account_Login', async (t) => {
    await compare(
      (line) => t.diagnostic(line),
      (Email) => stack.call('Account_Login', { Email, Password: 'wrong password' }),
      401,
      async () => [repeated(await create(12), guesses), repeated(unknown(12), guesses)],
    );
  });

  /** Accounts with an authenticator app. */
  const createProtected = async (count: number): Promise<string[]> => {
    const addresses = await create(count);
    await rowsOf(
      stack,
      `insert into identity.totp_factor (tenant, id, user_id, name, dek_id, secret_enc, last_step, confirmed_at, created_at)
       select '', 'fac_' || id, id, 'Phone', '', '', 0, now(), now() from identity.user_account where email = any ($1)`,
      [addresses],
    );
    return addresses;
  };

  test('Account_Login of an account with a second factor', async (t) => {
    await compare(
      (line) => t.diagnostic(line),
      (Email) => stack.call('Account_Login', { Email, Password: 'wrong password' }),
      401,
      async () => [repeated(await createProtected(12), guesses), repeated(unknown(12), guesses)],
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

  /**
   * Calls with both kinds of addresses in random order, many at once, and compares the two
   * distributions of times.
   */
  async function compareUnderLoad(
    say: (line: string) => void,
    call: (address: string) => Promise<Answer>,
    addresses: readonly string[],
  ) {
    const unknownAddresses = unknown(addresses.length);
    const measurements: string[] = [];
    for (let attempt = 0; attempt < loadTries; attempt++) {
      const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
      const loop = async () => {
        for (let index = 0; index < loadSamples / atOnce; index++) {
          const kind = Math.random() < 0.5 ? 'known' : 'unknown';
          const of = kind === 'known' ? addresses : unknownAddresses;
          const ms = await took(() => call(of[Math.floor(Math.random() * of.length)] ?? ''), 200);
          if (index >= warmUp) times[kind].push(ms);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, loop));
      assert.ok(times.known.length >= 400 && times.unknown.length >= 400);
      const area = areaUnderCurve(times.known, times.unknown);
      measurements.push(
        `AUC ${area.toFixed(3)}, medians ${median(times.known).toFixed(0)} and ${median(times.unknown).toFixed(0)} ms`,
      );
      if (Math.abs(area - 0.5) <= areaTolerance) return say(measurements.join('; '));
    }
    assert.fail(measurements.join('; '));
  }

  test('under load, the times of Account_RequestPasswordReset do not distinguish known from unknown addresses', async (t) => {
    await compareUnderLoad(
      (line) => t.diagnostic(line),
      (Email) => stack.call('Account_RequestPasswordReset', { Email }),
      await create(100),
    );
  });

  test('under load, the times of Account_ResendVerification do not distinguish known from unknown addresses', async (t) => {
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
 * How often a time of the first kind is above a time of the second (Mann-Whitney U over the number
 * of pairs): 0.5 if the kinds are indistinguishable.
 */
function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  const all = [
    ...first.map((ms) => ({ ms, isFirst: true })),
    ...second.map((ms) => ({ ms, isFirst: false })),
  ].sort((a, b) => a.ms - b.ms);
  let below = 0;
  let pairs = 0;
  for (const { isFirst } of all) {
    if (isFirst) pairs += below;
    else below++;
  }
  return pairs / (first.length * second.length);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
