import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import process from 'node:process';
import { test } from 'node:test';
import { exhausted } from '@bailiwick/errors';
import { createPasswords, inEachSpelling } from './passwords.ts';
import { assertNotMadeOf, createPasswordRules } from './rules.ts';

test('a hash is argon2id with the documented parameters, and matches its password only', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct horse');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await passwords.verify(hash, 'correct horse'), true);
  assert.equal(await passwords.verify(hash, 'correct horsf'), false);
  // Compatibility forms of a character are one character (NFKC).
  assert.equal(await passwords.verify(await passwords.hash('ﬁnancial ①'), 'financial 1'), true);
});

test('verifying without a hash does the same work and returns false', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('x');
  await passwords.verify(undefined, 'warm up');
  // CPU time, because a busy machine lengthens any other. The minimum excludes the work of others.
  const times = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 10; round++) {
    times.known = Math.min(times.known, await cpuOf(() => passwords.verify(hash, 'wrong')));
    times.unknown = Math.min(
      times.unknown,
      await cpuOf(() => passwords.verify(undefined, 'wrong')),
    );
  }
  assert.equal(await passwords.verify(null, 'wrong'), false);
  assert.ok(
    times.unknown > times.known / 2 && times.unknown < times.known * 2,
    JSON.stringify(times),
  );
});

test('a hash with other parameters is outdated', async () => {
  const passwords = createPasswords();
  assert.equal(passwords.isOutdated(await passwords.hash('x')), false);
  assert.equal(passwords.isOutdated('$argon2id$v=19$m=4096,t=3,p=1$c2FsdHNhbHQ$aGFzaA'), true);
  assert.equal(passwords.isOutdated(null), false);
});

test('hashes that would wait for many seconds are refused', async () => {
  const passwords = createPasswords();
  const skip = () => Promise.reject(new Error('skipped'));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 450 }, () => passwords.hash('x', { beforehand: skip })),
  );
  const reasons = outcomes.map((outcome) => outcome.status === 'rejected' && `${outcome.reason}`);
  const refused = reasons.filter((reason) => `${reason}`.includes('too many concurrent sign-ins'));
  assert.ok(refused.length > 0 && refused.length < 60, String(refused.length));
  assert.ok(reasons.includes('Error: skipped'));
});

/** The password is `U*U`. */
const imported = 'imported $2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';

const busy = /too many concurrent sign-ins/;

test('a full queue of hashes of other systems refuses these, and neither others nor new passwords', async () => {
  const passwords = createPasswords(1);
  const ours = await passwords.hash('x');
  const attempts = Promise.allSettled(
    Array.from({ length: 100 }, () => passwords.verify(imported, 'x')),
  );
  await assert.rejects(passwords.verify(imported, 'x'), busy);
  await assert.rejects(
    passwords.imitateImported(undefined, 'x', { client: '', until: performance.now() + 1000 }),
    busy,
  );
  assert.equal(await passwords.verify(ours, 'x'), true);
  assert.equal(await passwords.verify(undefined, 'x'), false);
  assert.match(await passwords.hash('x'), /^\$argon2id\$/);
  await attempts;
  assert.equal(await passwords.verify(imported, 'U*U'), true);
});

test('a full queue of our hashes refuses every sign-in', async () => {
  const passwords = createPasswords(1);
  const attempts = Promise.allSettled(
    Array.from({ length: 450 }, () =>
      passwords.hash('x', { beforehand: () => Promise.reject(new Error('skipped')) }),
    ),
  );
  await Promise.all([
    assert.rejects(passwords.verify(imported, 'x'), busy),
    assert.rejects(passwords.verify(undefined, 'x'), busy),
  ]);
  await attempts;
  assert.equal(await passwords.verify(imported, 'U*U'), true);
});

test('comparisons with hashes of other systems leave the slots of sign-ins free', async () => {
  const passwords = createPasswords(2);
  const ours = await passwords.hash('x');
  let finished = 0;
  const slow = imported.replace('$05$', '$10$');
  const others = Array.from({ length: 8 }, () =>
    passwords.verify(slow, 'x').then(() => finished++),
  );
  for (let round = 0; round < 3; round++) assert.equal(await passwords.verify(ours, 'x'), true);
  assert.ok(finished < others.length / 2, String(finished));
  await Promise.all(others);
});

test('a queued hash that is no longer needed is skipped', async () => {
  const passwords = createPasswords();
  let used = false;
  const attempts = Array.from({ length: 50 }, () =>
    passwords.hash('x', {
      async beforehand() {
        if (used) throw new Error('used');
      },
    }),
  );
  await Promise.race(attempts);
  used = true;
  const fulfilled = (await Promise.allSettled(attempts)).filter(
    ({ status }) => status === 'fulfilled',
  );
  assert.ok(fulfilled.length < 25, String(fulfilled.length));
});

const threadless =
  (process.platform !== 'linux' && 'thread priorities exist on Linux only') ||
  (process.versions['deno'] !== undefined && 'Deno has no separate hash threads');

test('hash threads have a lower priority', { skip: threadless }, async () => {
  await createPasswords().hash('x');
  const workers = readdirSync('/proc/self/task').filter(
    (thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === 'libuv-worker',
  );
  assert.ok(workers.length > 0);
  for (const worker of workers)
    assert.ok(getPriority(Number(worker)) >= constants.priority.PRIORITY_BELOW_NORMAL);
});

test('password rules refuse only common passwords and those made of public facts', async () => {
  const rules = createPasswordRules('standard');
  const email = 'grace.hopper@navy.example.com';
  for (const weak of [
    'password',
    'PASSWORD',
    'iloveyou',
    'grace.hopper',
    'Grace.Hopper1',
    'navy.example.com',
    'bailiwick!',
    'grace.hopper@navy.example.com',
  ]) {
    assert.equal((await rules(weak, email)).length, 1, weak);
  }
  for (const strong of [
    'correct horse battery',
    'p4ssw0rd is a song',
    'grace.hopper likes cobol',
    'ünïcödé wörks',
    '',
  ])
    assert.deepEqual(await rules(strong, email), [], strong);
  assert.deepEqual(await createPasswordRules('nist')('fourteen chars', email), [
    {
      text: 'Password must be at least 15 characters',
      field: 'Password',
      rule: 'min_len',
      params: { Min: '15' },
    },
  ]);
  assert.deepEqual(await createPasswordRules('nist')('fifteen  chars!', email), []);
});

test('a password made of the account’s address is refused if the request has no address', async () => {
  assert.deepEqual(await createPasswordRules('standard')('grace.hopper'), []);
  assert.throws(() => assertNotMadeOf('grace.hopper@navy.example.com', 'Grace.Hopper1'), {
    code: 'invalid_argument',
  });
  assertNotMadeOf('grace.hopper@navy.example.com', 'grace.hopper likes cobol');
});

/** The microseconds of CPU that the process uses during the work. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return user + system;
}

test('each spelling of a password has a turn of its own, and a full lane after the first is a wrong one', async () => {
  const waiter = { client: '', until: performance.now() + 60_000 };
  const composed = 'lètmein'.normalize('NFC');
  const turns: string[] = [];
  const compared = await inEachSpelling(composed, waiter, async (spelling) => {
    turns.push(spelling);
    return { holds: false, ms: turns.length };
  });
  assert.deepEqual(turns, [composed, composed.normalize('NFD')]);
  assert.deepEqual(compared, { holds: false, ms: 2 });

  const full = exhausted('too many concurrent sign-ins', 5);
  const refuseFrom = (first: number) => {
    let turn = 0;
    return inEachSpelling(composed, waiter, async () => {
      if (++turn >= first) throw full;
      return { holds: false, ms: 1 };
    });
  };
  await assert.rejects(refuseFrom(1), { code: 'resource_exhausted' });
  assert.deepEqual(await refuseFrom(2), { holds: false, ms: 1 });
});
