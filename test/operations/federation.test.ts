import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createId } from '@bailiwick/values';
import { assertRefused, bodyOf, readList } from '../support/answers.ts';
import {
  type Assertion,
  type FederationClient,
  newAssertion,
  openFederation,
  refusedWith,
} from '../support/federation.ts';
import { type Stack, startStack } from '../support/harness.ts';
import {
  createTenant,
  mailsTo,
  mailTo,
  newAddress,
  password,
  register,
  signUp,
  tokenIn,
} from '../support/people.ts';
import { countOf, eventsOf, rowsOf } from '../support/store.ts';

// Which user an identity of a provider belongs to. Only with five processes does sso have a key of
// its own to call identity.

type Identity = {
  Tenant: string;
  Provider: string;
  UserID: string;
  Issuer: string;
  Subject: string;
  Email: string;
  LastUsedAt: string;
};

describe('federation: identities and users', () => {
  let stack: Stack;
  let opened: ReturnType<typeof openFederation>;
  let federation: FederationClient;
  let tenant: string;
  before(async () => {
    stack = await startStack('five processes', { BAILIWICK_LIMITS: 'off' });
    opened = openFederation(stack);
    ({ federation } = opened);
    tenant = await createTenant(stack, (await signUp(stack)).token);
  });
  after(async () => {
    await opened?.close();
    await stack?.stop();
  });

  const admit = async (assertion: Assertion & Record<string, unknown>) => {
    const { user, outcome } = await federation.admit(assertion);
    assert.ok(user);
    return { id: user.id, user, outcome };
  };
  const linksOf = (userId: string) =>
    countOf(stack, 'identity.identity_link where user_id = $1', [userId]);
  const eventsAbout = async (email: string) =>
    (await eventsOf(stack, 'identity', '')).filter(({ data }) => data['Email'] === email);
  const identitiesOf = async (UserID: string, token = stack.platformKey) =>
    (await readList<Identity>(stack, 'Users_ListIdentities', { UserID }, token)).items;

  test('Admit creates an account without a password for a new identity, and finds it the next time', async () => {
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

  test('Admit drops a profile field that is too long or invalid, and still admits the user', async () => {
    for (const changes of [
      { name: 'x'.repeat(129) },
      { name: 'a\u0000b' },
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

  test('Admit called 50 times at once for one identity creates one account, one link and one event', async () => {
    const assertion = newAssertion(tenant);
    const admitted = await Promise.all(Array.from({ length: 50 }, () => admit(assertion)));
    assert.equal(new Set(admitted.map(({ id }) => id)).size, 1);
    assert.equal(admitted.filter(({ outcome }) => outcome === 'created').length, 1);
    assert.equal(admitted.filter(({ outcome }) => outcome === 'known').length, 49);
    assert.equal((await eventsAbout(assertion.email)).length, 1);
    assert.equal(await linksOf(admitted[0]?.id ?? ''), 1);
  });

  test('Admit links an address to one identity of a provider, out of 50 concurrent ones', async () => {
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
    const before = [
      await countOf(stack, 'identity.user_account'),
      await countOf(stack, 'identity.identity_link'),
    ];
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
        { tenant: '' },
        { provider: '' },
        { subject: 'a\u0000b' },
        { subject: 'x'.repeat(1025) },
      ].map((changes) => ['ANSWER_INVALID', changes] as [string, object]),
    ];
    for (const [reason, changes] of refusals)
      await refusedWith(admit({ ...newAssertion(tenant), ...changes }), reason);
    assert.deepEqual(
      [
        await countOf(stack, 'identity.user_account'),
        await countOf(stack, 'identity.identity_link'),
      ],
      before,
    );
  });

  test('Admit treats all spellings of an address as the same', async () => {
    const { email } = await signUp(stack, newAddress('spelt'));
    assert.equal(
      (await admit({ ...newAssertion(tenant), email: email.toUpperCase() })).outcome,
      'linked',
    );
  });

  test('Admit links an account by its address once, notifies its user, and audits the link in the tenant', async () => {
    const { id, email } = await signUp(stack);
    const assertion = newAssertion(tenant, { email });
    assert.deepEqual(
      ((linked) => [linked.id, linked.outcome, linked.user.hasPassword])(
        await admit({ ...assertion, jit: false }),
      ),
      [id, 'linked', true],
    );
    assert.match((await mailTo(stack, email, 2)).Text, /single sign-on of Acme/);
    const audits = await rowsOf<{ audit: string; event: string | null }>(
      stack,
      `select audit, event from identity.outbox where for_tenant = $1 and type = 'user.identity_linked'`,
      [tenant],
    );
    const [audit] = audits
      .map((row) => JSON.parse(row.audit) as Record<string, unknown>)
      .filter(({ Targets }) => JSON.stringify(Targets).includes(id));
    assert.deepEqual(
      [audit?.['IP'], audit?.['UserAgent'], audit?.['Operation']],
      ['192.0.2.7', 'A browser', 'Federation_Admit'],
    );
    assert.ok(audits.every(({ event }) => event === null));
    const [identity, ...others] = await identitiesOf(id);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [
        identity?.Tenant,
        identity?.Provider,
        identity?.UserID,
        identity?.Issuer,
        identity?.Subject,
        identity?.Email,
      ],
      [tenant, assertion.provider, id, assertion.issuer, assertion.subject, email],
    );
    assert.equal((await admit(assertion)).outcome, 'known');
    assert.equal((await mailsTo(stack, email)).length, 2, 'one notice, for the first link');
  });

  test('Admit does not link a reassigned address to its previous account until the old identity is removed', async () => {
    const assertion = newAssertion(tenant);
    const { id } = await admit(assertion);
    const successor = { ...assertion, subject: 'another person' };
    await refusedWith(admit(successor), 'ALREADY_LINKED');
    await refusedWith(
      admit({ ...successor, issuer: 'https://other.example.com', subject: assertion.subject }),
      'ALREADY_LINKED',
    );
    assert.equal(
      (await admit({ ...successor, provider: createId('sso') })).outcome,
      'linked',
      'another provider may link the address',
    );
    const { provider: Provider } = assertion;
    const stranger = await signUp(stack);
    assertRefused(
      await stack.call('Users_RemoveIdentity', { UserID: id, Provider }, stranger.token),
      403,
      'permission_denied',
    );
    assertRefused(
      await stack.call('Users_ListIdentities', { UserID: id }, stranger.token),
      403,
      'permission_denied',
    );
    for (let time = 0; time < 2; time++)
      assert.deepEqual(
        bodyOf(
          await stack.call('Users_RemoveIdentity', { UserID: id, Provider }, stack.platformKey),
        ),
        {},
      );
    assert.deepEqual(((linked) => [linked.id, linked.outcome])(await admit(successor)), [
      id,
      'linked',
    ]);
    await refusedWith(admit(assertion), 'ALREADY_LINKED');
    assert.equal(
      await countOf(
        stack,
        `identity.outbox where type = 'user.identity_removed' and audit like '%' || $1 || '%'`,
        [id],
      ),
      1,
    );
  });

  test('Users_ListIdentities pages through a user’s identities, for the user and the platform', async () => {
    const { id, email, token } = await signUp(stack);
    const providers = await Promise.all(
      [1, 2, 3].map(async () => (await admit(newAssertion(tenant, { email }))).id),
    );
    assert.deepEqual(providers, [id, id, id]);
    const pages = await readList<Identity>(stack, 'Users_ListIdentities', { UserID: id }, token, 2);
    assert.deepEqual(pages.sizes, [2, 1]);
    assertRefused(
      await stack.call('Users_ListIdentities', { UserID: createId('usr') }, stack.platformKey),
      400,
      'not_found',
    );
  });

  test('Admit refuses a disabled account, linked or not', async () => {
    const { id, email } = await signUp(stack);
    const assertion = newAssertion(tenant, { email });
    await admit(assertion);
    bodyOf(await stack.call('Users_Disable', { UserID: id }, stack.platformKey));
    await refusedWith(admit(assertion), 'ACCOUNT_DISABLED');
    await refusedWith(admit(newAssertion(tenant, { email })), 'ACCOUNT_DISABLED');
    assert.equal(await linksOf(id), 1);
    bodyOf(await stack.call('Users_Enable', { UserID: id }, stack.platformKey));
    assert.equal((await admit(assertion)).outcome, 'known');
  });

  test('Admit refuses a linked account whose address left the tenant’s domains, and admits one whose domain has lapsed', async () => {
    const assertion = newAssertion(tenant);
    const { id } = await admit(assertion);
    const moveTo = (email: string) =>
      rowsOf(stack, 'update identity.user_account set email = $2, email_key = $2 where id = $1', [
        id,
        email,
      ]);
    await moveTo(newAddress('moved').replace('example.com', 'elsewhere.example'));
    await refusedWith(admit(assertion), 'DOMAIN_FOREIGN');
    await moveTo(newAddress('moved').replace('example.com', 'lapsed.example'));
    assert.equal((await admit(assertion)).outcome, 'known');
    for (const email of ['a@elsewhere.example', 'a@sub.example.com', 'no address'])
      await refusedWith(admit({ ...assertion, email }), 'DOMAIN_FOREIGN');
  });

  test('Admit removes a password that was registered before the user proved the address', async () => {
    const email = newAddress('victim');
    await register(stack, email);
    const proof = tokenIn(await mailTo(stack, email));
    const { id } = await admit(newAssertion(tenant, { email }));
    assertRefused(await stack.call('Account_Verify', { Token: proof }), 400, 'failed_precondition');
    assertRefused(
      await stack.call('Account_Login', { Email: email, Password: password }),
      401,
      'unauthenticated',
    );
    assert.equal(await countOf(stack, 'identity.registration where email_key = $1', [email]), 0);
    assert.equal(
      await countOf(stack, 'identity.user_account where id = $1 and password_hash is null', [id]),
      1,
    );
  });

  test('Admit is open to sso only', async () => {
    for (const service of ['gateway', 'access'] as const) {
      const { federation: foreign, close } = openFederation(stack, service);
      const { tenant: Tenant, provider } = newAssertion(tenant);
      await refusedWith(foreign.admit(newAssertion(tenant)), 'PERMISSION_DENIED');
      await refusedWith(foreign.openSession({ userId: createId('usr') }), 'PERMISSION_DENIED');
      await refusedWith(foreign.forgetProvider({ tenant: Tenant, provider }), 'PERMISSION_DENIED');
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
