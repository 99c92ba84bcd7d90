import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList } from '../../support/answers.ts';
import { newAssertion, refusedWith } from '../../support/federation.ts';
import { addPasskey } from '../../support/passkeys.ts';
import {
  mailsTo,
  mailTo,
  newAddress,
  password,
  register,
  signUp,
  tokenIn,
} from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { type Federation, startFederation } from './federation-calls.ts';

type Identity = {
  Tenant: string;
  Provider: string;
  UserID: string;
  Issuer: string;
  Subject: string;
  Email: string;
  LastUsedAt: string;
};

// How an existing account is linked to an identity of a provider.
describe('federation: links of accounts', () => {
  let suite: Federation;
  before(async () => {
    suite = await startFederation(await sharedStack('five processes'));
  });
  after(() => suite?.stop());

  const identitiesOf = async (UserID: string, token = suite.stack.platformKey) =>
    (await readList<Identity>(suite.stack, 'Users_ListIdentities', { UserID }, token)).items;

  test('Admit treats all spellings of an address as the same', async () => {
    const { stack, tenant, admit } = suite;
    const { email } = await signUp(stack, newAddress('spelt'));
    assert.equal(
      (await admit({ ...newAssertion(tenant), email: email.toUpperCase() })).outcome,
      'linked',
    );
  });

  test('Admit links an account by its address once, notifies its user, and audits the link in the tenant', async () => {
    const { stack, tenant, admit } = suite;
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

  test('Admit trusts a link to an account without a password by its address only, if the account has a passkey', async () => {
    const { stack, tenant, admit } = suite;
    const trustOf = async (withPasskey: boolean) => {
      const { id, email, token } = await signUp(stack);
      if (withPasskey) await addPasskey(stack, token);
      await rowsOf(stack, 'update identity.user_account set password_hash = null where id = $1', [
        id,
      ]);
      await admit(newAssertion(tenant, { email }));
      const [link] = await rowsOf<{ trust: string }>(
        stack,
        'select trust from identity.identity_link where user_id = $1',
        [id],
      );
      return link?.trust;
    };
    assert.deepEqual([await trustOf(false), await trustOf(true)], ['domain', 'address']);
  });

  test('Admit does not link a reassigned address to its previous account until the old identity is removed', async () => {
    const { stack, tenant, admit } = suite;
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
    const { stack, tenant, admit } = suite;
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
    const { stack, tenant, admit, linksOf } = suite;
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
    const { stack, tenant, admit } = suite;
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
    const { stack, tenant, admit } = suite;
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
});
