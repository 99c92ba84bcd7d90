import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import {
  endWithin,
  readRefusal,
  recordLimits,
  refusalInToken,
  type SessionRefusal,
  tokenRefusal,
} from './session-check.ts';

const minute = 60_000;
const began = Date.UTC(2026, 0, 31);
const at = (minutes: number) => timestampFromMs(began + minutes * minute);
const times = { signedInAt: at(0), expiresAt: at(1000), idleMinutes: 100 };

test('the limits of a tenant shorten a session, and never lengthen it', () => {
  const within = (idleMinutes: number, maxMinutes: number) => {
    const { endsAt, idleMinutes: idle } = endWithin(times, { idleMinutes, maxMinutes });
    return [(timestampMs(endsAt) - began) / minute, idle];
  };
  assert.deepEqual(within(0, 0), [1000, 100]);
  assert.deepEqual(within(30, 60), [60, 30]);
  assert.deepEqual(within(300, 3000), [1000, 100]);
});

test('the record of a session is limited only if it would end later', () => {
  const limits = (minutes: number, idleMinutes: number) =>
    recordLimits(
      { credentialId: 'ses_1', ...times },
      { refusal: 'none', endsAt: at(minutes), idleMinutes },
    );
  assert.equal(limits(1000, 100), undefined);
  assert.deepEqual(limits(60, 100), { sessionId: 'ses_1', idleMinutes: 100, maxMinutes: 60 });
  assert.deepEqual(limits(1000, 30), { sessionId: 'ses_1', idleMinutes: 30, maxMinutes: 0 });
  // A bot has no session, and an answer without times ends none.
  assert.equal(
    recordLimits({ credentialId: 'bky_1', idleMinutes: 0 }, { refusal: 'none' }),
    undefined,
  );
});

test('a missing or unknown refusal never means that a session satisfies a tenant', () => {
  for (const text of ['', 'None', 'of_tomorrow']) assert.equal(readRefusal(text), 'not_member');
  assert.equal(readRefusal('none'), 'none');
});

test('a caller token says the same to a service of the previous version, and one of its gateway here', () => {
  const flagged: SessionRefusal[] = [
    'none',
    'provider_unconfirmed',
    'method_refused',
    'sso_required',
    'factor_required',
  ];
  for (const refusal of flagged) {
    const token = { ...tokenRefusal(refusal), suspendedName: '' };
    assert.equal(refusalInToken(token), refusal);
    assert.equal(refusalInToken({ ...token, sessionRefusal: '' }), refusal);
  }
});
