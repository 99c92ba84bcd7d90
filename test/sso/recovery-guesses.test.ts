import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bcryptHash, importedPerson } from '../operations/access/user-import-calls.ts';
import { bodyOf } from '../support/answers.ts';
import { startStack } from '../support/harness.ts';
import { newAddress } from '../support/people.ts';
import { addPerson, assertWrong, createBroken, recover, unknown } from './recovery.ts';

// Strangers who guess recovery codes of single sign-on, or passwords beside one.

test('tries of recovery codes are limited for each address, and tries with a code for its tenant', async () => {
  const own = await startStack('one process', {
    BAILIWICK_LIMITS: 'standard',
    BAILIWICK_TRUSTED_PROXIES: '127.0.0.0/8',
  });
  try {
    const { codes } = await createBroken(own);
    const [code = ''] = codes;
    const fromElsewhere = await Promise.all(
      Array.from({ length: 21 }, (_, index) => {
        const body = { Email: newAddress('guess'), Password: 'guess', SsoRecoveryCode: code };
        const from = { 'x-forwarded-for': `198.51.${index}.7` };
        return own.call('Account_Login', body, undefined, from);
      }),
    );
    assert.equal(fromElsewhere.filter(({ status }) => status === 429).length, 1);
    const answers = await Promise.all(
      Array.from({ length: 21 }, () => recover(own, newAddress('guess'), unknown)),
    );
    const refused = (code: number) => answers.filter(({ status }) => status === code).length;
    assert.deepEqual([refused(401), refused(429)], [20, 1]);
  } finally {
    await own.stop();
  }
});

test('with an unknown code, a right password is answered as late as a wrong one, also while users have imported hashes', async () => {
  // A stack of its own: wrong passwords are answered later while there are imported hashes.
  const own = await startStack('one process', { BAILIWICK_LIMITS: 'off' });
  try {
    // Before the first sign-in: identity remembers for seconds that no user has such a hash.
    const Users = [importedPerson({ PasswordHash: bcryptHash })];
    bodyOf(await own.call('Users_Import', { Users }, own.platformKey));
    const { home } = await createBroken(own);
    const [right, wrong] = [
      await addPerson(own, home, 'owner'),
      await addPerson(own, home, 'owner'),
    ];
    const least = async ({ email }: { email: string }, guess?: string) => {
      let ms = Number.POSITIVE_INFINITY;
      // One fewer than the failures after which an account waits.
      for (let tries = 0; tries < 4; tries++) {
        const began = performance.now();
        assertWrong(await recover(own, email, unknown, guess));
        ms = Math.min(ms, performance.now() - began);
      }
      return ms;
    };
    const [rightMs, wrongMs] = [await least(right), await least(wrong, 'a wrong password')];
    assert.ok(Math.abs(rightMs - wrongMs) < 250, `${rightMs} and ${wrongMs} ms`);
  } finally {
    await own.stop();
  }
});
