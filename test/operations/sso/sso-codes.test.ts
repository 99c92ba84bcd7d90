import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { tokenKind } from '@bailiwick/contract';
import { bodyOf } from '../../support/answers.ts';
import { newAssertion, opening } from '../../support/federation.ts';
import { signUp } from '../../support/people.ts';
import { appOrigin, sharedStack } from '../../support/shared.ts';
import { type Federation, startFederation } from '../identity/federation-calls.ts';

type Session = { ID: string; AuthMethod: string; Provider: string; IP: string; UserAgent: string };

// Codes that an application exchanges for sessions.
describe('federation: codes', () => {
  let suite: Federation;
  before(async () => {
    suite = await startFederation(await sharedStack('five processes'));
  });
  after(() => suite?.stop());

  test('Account_ExchangeCode opens a limited session if the account was linked by its address alone', async () => {
    const { stack, federation, tenant, exchange } = suite;
    const person = await signUp(stack);
    const assertion = newAssertion(tenant, { email: person.email });
    const { user } = await federation.admit(assertion);
    assert.equal(user?.id, person.id);
    const open = async () =>
      (await federation.openSession(opening(assertion, person.id, appOrigin))).token;
    const limitOf = async () =>
      (bodyOf(await exchange(await open()))['Session'] as { LimitedTo: string }).LimitedTo;
    assert.equal(await limitOf(), tenant);
    const waiting = await open();
    bodyOf(
      await stack.call(
        'Users_ConfirmIdentity',
        { UserID: person.id, Provider: assertion.provider },
        person.token,
      ),
    );
    assert.equal(
      (bodyOf(await exchange(waiting))['Session'] as { LimitedTo: string }).LimitedTo,
      '',
      'the state of the link counts when the session begins',
    );
  });

  test('a code becomes a session in Account_ExchangeCode, and not before', async () => {
    const { newGuest, countsOf, get, exchange, assertDeadCode } = suite;
    const { id, assertion, open } = await newGuest();
    const code = await open(appOrigin);
    assert.equal(tokenKind(code), 'code');
    assert.deepEqual(await countsOf(id), [1, 1, 0]);
    assert.equal((await get(code)).status, 401);
    const { Token, Session, User } = bodyOf(await exchange(code)) as {
      Token: string;
      Session: Session;
      User: { ID: string };
    };
    assert.deepEqual(
      [User.ID, Session.AuthMethod, Session.Provider, Session.IP, Session.UserAgent],
      [id, 'oidc', assertion.provider, '192.0.2.7', 'A browser'],
    );
    assert.equal((await get(Token)).status, 200);
    await assertDeadCode(code);
    assert.deepEqual(await countsOf(id), [1, 0, 1]);
  });

  test('a newer code voids the older code of the same application, and of no other one', async () => {
    const { newGuest, exchange, assertDeadCode } = suite;
    const { open } = await newGuest();
    const [old, elsewhere, next] = [
      await open(appOrigin),
      await open('https://other.example.com'),
      await open(appOrigin),
    ];
    await assertDeadCode(old);
    for (const code of [elsewhere, next]) assert.equal((await exchange(code)).status, 200);
  });
});
