import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf } from '@bailiwick/client/errors.ts';
import { describeFailure, detailsIn } from './failure.ts';

const failed = (status: number, Code: string, retryAfter?: number) =>
  describeFailure(
    errorOf({ operation: 'X', status, Code, Messages: ['Why.'], RequestID: 'r1', retryAfter }),
  );

test('403, 429, 500 and an unreachable gateway each have their own words', () => {
  const titles = [
    failed(403, 'permission_denied'),
    failed(429, 'resource_exhausted'),
    failed(500, 'internal'),
    failed(0, 'unavailable'),
    failed(401, 'unauthenticated'),
  ].map(({ title }) => title);
  assert.equal(new Set(titles).size, titles.length);
});

test('the service’s messages are shown where they say what to correct, and not of an internal error', () => {
  assert.deepEqual(failed(400, 'invalid_argument').details, ['Why.']);
  assert.deepEqual(failed(500, 'internal').details, []);
  assert.equal(failed(500, 'internal').requestId, 'r1');
});

test('a limit says how long to wait', () => {
  assert.equal(failed(429, 'resource_exhausted', 30).waitSeconds, 30);
  assert.equal(failed(429, 'resource_exhausted').waitSeconds, 0);
});

test('an error of a script is our fault', () => {
  assert.equal(describeFailure(new TypeError('x')).title, 'failure.broken');
});

test('a refusal that another sign-in ends offers one, and no other refusal does', () => {
  const refused = (Reason: string, message = 'Why.') =>
    describeFailure(
      errorOf({
        operation: 'X',
        status: 403,
        Code: 'permission_denied',
        Reason,
        Messages: [message],
        RequestID: 'r1',
      }),
    );
  for (const reason of ['SSO_REQUIRED', 'METHOD_REFUSED']) {
    assert.ok(refused(reason).needsSignIn, reason);
    assert.equal(refused(reason).title, 'failure.method');
  }
  assert.equal(refused('RECENT_LOGIN_REQUIRED').needsSignIn, false);
  assert.equal(refused('').needsSignIn, false);
  assert.equal(refused('TENANT_CREATION_OFF').title, 'failure.creationOff');
  assert.deepEqual(refused('ESCALATION', 'this would grant iam.apps.write').details, [
    'this would grant iam.apps.write',
  ]);
});

test('the service’s answer is in the user’s language if its reason has a text there', () => {
  const failure = describeFailure(
    errorOf({
      operation: 'X',
      status: 403,
      Code: 'permission_denied',
      Reason: 'ESCALATION',
      Messages: ['this would grant iam.apps.write'],
      Params: { Permission: 'iam.apps.write' },
      RequestID: 'r1',
    }),
  );
  const german = {
    locale: 'de',
    textOfReason: (reason: string, params: Readonly<Record<string, string>>) =>
      reason === 'ESCALATION' ? `Damit würde ${params['Permission']} erteilt.` : undefined,
  };
  assert.deepEqual(detailsIn(failure, german), {
    texts: ['Damit würde iam.apps.write erteilt.'],
  });
  const own = { texts: ['this would grant iam.apps.write'] };
  assert.deepEqual(detailsIn(failure, { ...german, locale: 'en' }), own);
  const unknown = { ...failure, reason: 'NEWER' };
  assert.deepEqual(detailsIn(unknown, german), { ...own, lang: 'en' });
});
