import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exhausted } from '@bailiwick/errors';
import type { Database } from '@bailiwick/store';
import { createComparison } from './comparison.ts';

/** Milliseconds that comparisons with a slow and with a quick hash take. */
const [slow, quick] = [250, 5];

/** `share`: of the users, those with imported hashes. `full`: whether their lane is full. */
function compareWith({ share = 0, full = false }) {
  const database = {
    query: async ({ name }: { name: string }) =>
      name === 'identity.has_imported_hashes'
        ? [{ has: share > 0 }]
        : [{ share, key: Buffer.from('key') }],
  } as Partial<Database> as Database;
  async function imported() {
    if (full) throw exhausted('too many concurrent sign-ins', 5);
    await sleep(slow);
  }
  async function verify(_stored: unknown, password: string) {
    await sleep(quick);
    return password === 'right';
  }
  const compare = createComparison({
    database,
    passwords: {
      verify,
      async compareImported(_stored, password) {
        await imported();
        return { holds: password === 'right', ms: slow };
      },
      async imitateImported(stored, password) {
        await imported();
        return verify(stored, password);
      },
    },
  });
  return (
    stored: string | undefined,
    password: string,
    { key = 'a@b.example', hidesMatch = false } = {},
  ) =>
    compare(
      {
        key,
        password,
        hidesMatch,
        account: {
          user: stored === undefined ? undefined : ({ passwordHash: stored } as never),
          factors: [],
          pendingHash: undefined,
        },
      },
      { client: '', until: performance.now() + 60_000 },
    );
}

async function least(work: () => Promise<unknown>): Promise<number> {
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    await work();
    ms = Math.min(ms, performance.now() - began);
  }
  return ms;
}

test('while users have imported hashes, a wrong password takes as long for every kind of hash and without an account', async () => {
  const compare = compareWith({ share: 0.5 });
  const keys = ['a', 'b', 'c', 'd'].map((name) => `${name}@unknown.example`);
  const times = await Promise.all([
    ...['imported $2b$', '$argon2id$'].map((stored) => least(() => compare(stored, 'wrong'))),
    ...keys.map((key) => least(() => compare(undefined, 'wrong', { key }))),
  ]);
  for (const ms of times) assert.ok(ms >= 490, `${ms} ms`);
  // Without the floor, the times differ by nearly `slow`.
  assert.ok(Math.max(...times) - Math.min(...times) < slow / 2, times.join(', '));
});

test('a right password does not wait, nor any while no user has an imported hash', async () => {
  assert.ok((await least(() => compareWith({ share: 1 })('$argon2id$', 'right'))) < 150);
  assert.ok((await least(() => compareWith({})('$argon2id$', 'wrong'))) < 150);
});

test('a right password that may be refused nevertheless waits like a wrong one', async () => {
  const compare = compareWith({ share: 0.5 });
  const hidden = { hidesMatch: true };
  assert.equal(await compare('$argon2id$', 'right', hidden), true);
  const times = await Promise.all(
    ['$argon2id$', 'imported $2b$'].map((stored) => least(() => compare(stored, 'right', hidden))),
  );
  for (const ms of times) assert.ok(ms >= 490, `${ms} ms`);
});

test('while the lane of imported hashes is full, the share of unknown addresses that is refused is that of the users with such hashes', async () => {
  const share = 0.3;
  const compare = compareWith({ share, full: true });
  await assert.rejects(compare('imported $2b$', 'right'), { code: 'resource_exhausted' });
  assert.equal(await compare('$argon2id$', 'right'), true);
  // The right password of a registration that is not verified ends without the floor.
  const outcome = (key: string) =>
    compare(undefined, 'right', { key }).then(
      () => 'compared',
      () => 'refused',
    );
  const keys = Array.from({ length: 1000 }, (_, index) => `${index}@unknown.example`);
  const first = await Promise.all(keys.map(outcome));
  const refused = first.filter((text) => text === 'refused').length;
  // Ten standard deviations are 145.
  assert.ok(Math.abs(refused - share * keys.length) < 145, String(refused));
  assert.deepEqual(await Promise.all(keys.map(outcome)), first);
  // Another share moves addresses in one direction only, as renewed hashes do.
  const less = compareWith({ share: share / 2, full: true });
  const compared = keys.filter((_, index) => first[index] === 'compared');
  await Promise.all(compared.map((key) => less(undefined, 'right', { key })));
});
