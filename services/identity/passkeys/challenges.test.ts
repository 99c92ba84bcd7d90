import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  challengeMs,
  createChallenge,
  forLogin,
  forRegistration,
  readChallenge,
} from './challenges.ts';

const ring = [{ id: 'key-1', key: randomBytes(32) }];
const encode = (challenge: string) => Buffer.from(challenge).toString('base64url');
const dead = { reason: 'DEAD_TOKEN' };

test('a challenge is read for its use only, and by processes with the same key ring', () => {
  const use = forRegistration('usr_1', 'ses_1');
  const challenge = encode(createChallenge(ring, use));
  assert.equal(readChallenge(ring, challenge, use).hash.length, 32);
  for (const other of [
    forLogin,
    forRegistration('usr_1', 'ses_2'),
    forRegistration('usr_2', 'ses_1'),
    forRegistration('usr_1ses_1', ''),
  ])
    assert.throws(() => readChallenge(ring, challenge, other), dead);
  const rotated = [{ id: 'key-2', key: randomBytes(32) }, ...ring];
  readChallenge(rotated, challenge, use);
  assert.throws(() => readChallenge([{ id: 'key-1', key: randomBytes(32) }], challenge, use), dead);
});

test('challenges differ, and a changed one is not ours', () => {
  const [one, other] = [createChallenge(ring, forLogin), createChallenge(ring, forLogin)];
  assert.notEqual(one, other);
  for (const changed of ['', 'key-1.', `${one}x`, one.slice(0, -2), one.replace('key-1', 'key-2')])
    assert.throws(() => readChallenge(ring, encode(changed), forLogin), dead, changed);
});

test('all spellings of a challenge are one challenge', () => {
  const challenge = createChallenge(ring, forLogin);
  const hashes = [challenge, `${challenge}=`, challenge.replace('.', '.\n')].map((spelling) =>
    Buffer.from(readChallenge(ring, encode(spelling), forLogin).hash).toString('hex'),
  );
  assert.equal(new Set(hashes).size, 1);
});

test('a challenge expires after ten minutes', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  t.after(() => t.mock.timers.reset());
  const challenge = encode(createChallenge(ring, forLogin));
  t.mock.timers.tick(challengeMs - 1);
  const { expiresAt } = readChallenge(ring, challenge, forLogin);
  assert.equal(expiresAt.getTime(), 1_800_000_600_000);
  t.mock.timers.tick(1);
  assert.throws(() => readChallenge(ring, challenge, forLogin), dead);
});
