import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { newAssertion, openFederation, refusedWith } from '../../support/federation.ts';
import { newAddress } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, eventsOf } from '../../support/store.ts';
import { type Federation, startFederation } from './federation-calls.ts';

// Which user an identity of a provider belongs to.
describe('federation: identities and users', () => {
  let suite: Federation;
  before(async () => {
    suite = await startFederation(await sharedStack('five processes'));
  });
  after(() => suite?.stop());

  const eventsAbout = async (email: string) =>
    (await eventsOf(suite.stack, 'identity', '')).filter(({ data }) => data['Email'] === email);

  test('Admit creates an account without a password for a new identity, and finds it the next time', async () => {
    const { tenant, admit, linksOf } = suite;
    const assertion = newAssertion(tenant, {
      name: 'Ada Lovelace',
      picture: 'https://example.com/ada.png',
      locale: 'en-GB',
    });
    const { id, user, outcome } = await admit(assertion);
    assert.equal(outcome, 'created');
    const { status, emailVerified, hasPassword, name, picture, locale } = user;
    assert.deepEqual(
      { status, emailVerified, hasPassword, name, picture, locale },
      {
        status: 'active',
        emailVerified: true,
        hasPassword: false,
        name: 'Ada Lovelace',
        picture: 'https://example.com/ada.png',
        locale: 'en-GB',
      },
    );
    assert.deepEqual(
      (await eventsAbout(assertion.email)).map(({ type, actor }) => [type, actor]),
      [['user.registered', { type: 'system', id: 'sso' }]],
    );
    const again = await admit({
      ...assertion,
      name: 'Somebody Else',
      emailVerified: false,
      jit: false,
      email: newAddress('other'),
    });
    assert.deepEqual(
      [again.id, again.outcome, again.user.email, again.user.name],
      [id, 'known', assertion.email, 'Ada Lovelace'],
    );
    assert.equal((await admit({ ...assertion, email: '' })).id, id);
    assert.equal((await eventsAbout(assertion.email)).length, 1);
    assert.equal(await linksOf(id), 1);
  });

  test('Admit for a provider of the platform reports a verified address only if that provider runs the mailbox', async () => {
    for (const runsMailbox of [true, false]) {
      const assertion = { ...newAssertion(''), tenantName: '', domains: [], runsMailbox };
      const { id, user, outcome } = await suite.admit(assertion);
      assert.deepEqual([outcome, user.emailVerified], ['created', true]);
      // On this event the user joins the tenant of the address's domain.
      const verified = runsMailbox ? ['user.verified'] : [];
      assert.deepEqual(
        (await eventsAbout(assertion.email)).map(({ type }) => type),
        ['user.registered', ...verified],
      );
      const condition = 'identity.user_account where id = $1 and mailbox_proven';
      assert.equal(await countOf(suite.stack, condition, [id]), verified.length);
    }
  });

  test('Admit cuts a long name, drops a picture or locale that is too long or invalid, and still admits the user', async () => {
    const { tenant, admit } = suite;
    const { user: named } = await admit(newAssertion(tenant, { name: 'x'.repeat(129) }));
    assert.equal(named.name, 'x'.repeat(128));
    for (const changes of [
      { picture: 'javascript:alert(1)' },
      { picture: `https://example.com/${'x'.repeat(2048)}` },
      { locale: 'no language' },
    ]) {
      const { user } = await admit(newAssertion(tenant, changes));
      assert.deepEqual(
        [user.name, user.picture, user.locale],
        ['', '', ''],
        JSON.stringify(changes),
      );
    }
  });

  test('Admit takes control characters and direction marks out of names', async () => {
    const { tenant, admit } = suite;
    const { user } = await admit(
      newAssertion(tenant, { name: 'A\u202eda\r\nLove\u0000lace\u2069' }),
    );
    assert.equal(user.name, 'Ada Love lace');
  });

  test('Admit called 50 times at once for one identity creates one account, one link and one event', async () => {
    const { tenant, admit, linksOf } = suite;
    const assertion = newAssertion(tenant);
    const users = await Promise.all(Array.from({ length: 50 }, () => admit(assertion)));
    assert.equal(new Set(users.map(({ id }) => id)).size, 1);
    assert.equal(users.filter(({ outcome }) => outcome === 'created').length, 1);
    assert.equal(users.filter(({ outcome }) => outcome === 'known').length, 49);
    assert.equal((await eventsAbout(assertion.email)).length, 1);
    assert.equal(await linksOf(users[0]?.id ?? ''), 1);
  });

  test('Admit links an address to one identity of a provider, out of 50 concurrent ones', async () => {
    const { stack, tenant, admit } = suite;
    const assertion = newAssertion(tenant);
    const subjects = Array.from({ length: 50 }, (_, index) => `subject-${index}`);
    const outcomes = await Promise.allSettled(
      subjects.map((subject) => admit({ ...assertion, subject })),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        await refusedWith(Promise.reject(outcome.reason as Error), 'ALREADY_LINKED');
    assert.equal(
      await countOf(stack, 'identity.user_account where email = $1', [assertion.email]),
      1,
    );
  });

  test('Admit refuses an identity that the tenant does not vouch for, and creates nothing', async () => {
    const { stack, tenant, admit } = suite;
    const refusals: Array<[string, object]> = [
      ['EMAIL_MISSING', { email: '' }],
      ...[
        'no address',
        'a@b@example.com',
        '"a b"@example.com',
        'a@example.com\r\nBcc: x',
        'a\u0000@example.com',
      ].map((email) => ['EMAIL_MISSING', { email }] as [string, object]),
      ['EMAIL_UNVERIFIED', { emailVerified: false }],
      ...[
        'a@sub.example.com',
        'a@evil-example.com',
        'a@example.com.evil.example',
        'a@example.org',
        'a@lapsed.example',
      ].map((email) => ['DOMAIN_FOREIGN', { email }] as [string, object]),
      ['DOMAIN_FOREIGN', { domains: [] }],
      ['NO_ACCOUNT', { jit: false }],
      ...[
        { subject: '' },
        { issuer: '' },
        { provider: '' },
        { subject: 'a\u0000b' },
        { subject: 'x'.repeat(1025) },
      ].map((changes) => ['ANSWER_INVALID', changes] as [string, object]),
    ];
    const attempts = refusals.map(([reason, changes]) => ({
      reason,
      assertion: { ...newAssertion(tenant), ...changes },
    }));
    const stored = async () => {
      const assertions = attempts.map(({ assertion }) => assertion);
      const emails = assertions.map(({ email }) => email.replace('\0', ''));
      const providers = assertions.map(({ provider }) => provider);
      return [
        await countOf(stack, 'identity.user_account where email = any($1)', [emails]),
        await countOf(stack, 'identity.identity_link where provider = any($1)', [providers]),
      ];
    };
    const before = await stored();
    for (const { reason, assertion } of attempts) await refusedWith(admit(assertion), reason);
    assert.deepEqual(await stored(), before);
  });

  test('Admit is open to sso only', async () => {
    const { stack, tenant } = suite;
    for (const service of ['gateway', 'access'] as const) {
      const { federation: foreign, close } = openFederation(stack, service);
      const { tenant: Tenant, provider } = newAssertion(tenant);
      await refusedWith(foreign.admit(newAssertion(tenant)), '');
      await refusedWith(foreign.openSession({ userId: createId('usr') }), '');
      await refusedWith(foreign.forgetProvider({ tenant: Tenant, provider }), '');
      await refusedWith(foreign.settle({ tenant: Tenant, provider }), '');
      await refusedWith(foreign.vouch({ tenant: Tenant, provider, keepsLinks: true }), '');
      await close();
    }
    for (const operation of [
      'Federation_Admit',
      'Federation_OpenSession',
      'Federation_ForgetProvider',
    ]) {
      assert.equal((await stack.call(operation, {}, stack.platformKey)).status, 404);
    }
  });
});
