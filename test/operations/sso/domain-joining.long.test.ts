import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, knownTo, recordIn } from '../../support/answers.ts';
import { type DnsServer, startDns } from '../../support/dns-server.ts';
import { addProvider, claim, type Domain, own } from '../../support/domains.ts';
import { describeBoth, eventually, type OwnStack, startStack } from '../../support/harness.ts';
import {
  mailTo,
  newAddress,
  password,
  register,
  signUp,
  tenantFor,
  tokenIn,
} from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { addRole } from './domain-calls.ts';

describeBoth('what a domain means for people', (topology) => {
  let stack: OwnStack;
  let dns: DnsServer;
  let id: string;
  let token: string;
  before(async () => {
    dns = await startDns();
    stack = await startStack(topology, {
      BAILIWICK_DNS_RESOLVERS: dns.address,
      BAILIWICK_LIMITS: 'off',
    });
    ({ id, token } = await signUp(stack));
  });
  after(async () => {
    await stack?.stop();
    await dns?.stop();
  });

  const noSuggestion = ['your email domain does not allow joining this tenant'];
  const at = ({ Name }: Domain, name = 'person') => newAddress(name).replace('example.com', Name);
  const newTenant = async () => tenantFor(stack, id);
  const isMember = (Tenant: string, userId: string) =>
    countOf(stack, 'access.tenant_member where tenant = $1 and user_id = $2', [Tenant, userId]);
  const rolesOf = async (Tenant: string, userId: string) =>
    (
      await rowsOf<{ role: string }>(
        stack,
        'select role from access.grant_entry where tenant = $1 and subject = $2',
        [Tenant, userId],
      )
    ).map(({ role }) => role);
  const suggestions = async (by: string) =>
    bodyOf(await stack.call('Domain_ListSuggestions', {}, by))['Suggestions'];
  const join = (Tenant: string, by: string, rest: object = {}) =>
    stack.call('Domain_Join', { Tenant, ...rest }, by);
  const joined = (Tenant: string, userId: string) =>
    eventually('the membership', async () => (await isMember(Tenant, userId)) === 1);

  test('with Capture join, a user who verifies an address becomes a member with the domain’s role, and one who only registers does not', async () => {
    const Tenant = await newTenant();
    await addRole(stack, Tenant, token, { Slug: 'reader', Permissions: ['app.read'] });
    const domain = await own(stack, dns, Tenant, token, { Capture: 'join', DefaultRole: 'reader' });
    const unverified = await register(stack, at(domain));
    const person = await signUp(stack, at(domain).toUpperCase());
    await joined(Tenant, person.id);
    assert.deepEqual(await rolesOf(Tenant, person.id), ['reader']);
    // After two more services handled the event, it still names the request that verified the
    // address.
    const requestOf = async (service: string, type: string) =>
      (
        await rowsOf<{ id: string }>(
          stack,
          `select audit::jsonb->>'RequestID' as id from ${service}.outbox where type = $1 and audit like '%' || $2 || '%'`,
          [type, person.id],
        )
      ).map(({ id }) => id);
    const [verified] = await requestOf('identity', 'user.verified');
    assert.ok(verified);
    assert.deepEqual(await requestOf('access', 'tenant.member_added'), [verified]);
    assert.equal(await isMember(Tenant, unverified), 0);
    // The role works at once, in the session that existed before.
    assert.equal(
      recordIn(
        await stack.call('Access_Check', { Tenant, Permission: 'app.read' }, person.token),
        'Allowed',
      ),
      true,
    );
    assert.deepEqual(await suggestions(person.token), [], 'a member gets no suggestion');
    for (let time = 0; time < 2; time++)
      assert.deepEqual(bodyOf(await join(Tenant, person.token)), {});
    assert.equal((await rolesOf(Tenant, person.id)).length, 1);
  });

  test('a removed member does not join again when the broker loses its store', async () => {
    const Tenant = await newTenant();
    const domain = await own(stack, dns, Tenant, token, { Capture: 'join' });
    const person = await signUp(stack, at(domain));
    await joined(Tenant, person.id);
    bodyOf(await stack.call('TenantMembers_Remove', { Tenant, UserID: person.id }, token));
    // As after a loss: the relay publishes the row again with another message ID.
    const verified = `from identity.outbox where type = 'user.verified' and event::text like '%' || $1 || '%'`;
    await rowsOf(
      stack,
      `update identity.outbox set published_at = null where id in (select id ${verified})`,
      [person.id],
    );
    await eventually(
      'the row to be published again',
      async () =>
        (await rowsOf(stack, `select id ${verified} and published_at is not null`, [person.id]))
          .length === 1,
    );
    const next = await signUp(stack, at(domain));
    await joined(Tenant, next.id);
    assert.equal(await isMember(Tenant, person.id), 0);
  });

  test('Capture join without a role gives the tenant’s default role', async () => {
    const Tenant = await newTenant();
    const domain = await own(stack, dns, Tenant, token, { Capture: 'join' });
    const person = await signUp(stack, at(domain));
    await joined(Tenant, person.id);
    assert.deepEqual(await rolesOf(Tenant, person.id), ['member']);
  });

  test('off, suggest, require_sso and an unverified domain add no member on their own', async () => {
    const Tenant = await newTenant();
    await addProvider(stack, Tenant);
    const domains = [
      ...(await Promise.all(
        ['off', 'suggest', 'require_sso'].map((Capture) =>
          own(stack, dns, Tenant, token, { Capture }),
        ),
      )),
      await claim(stack, Tenant, token, { Capture: 'join' }),
    ];
    const marker = await own(stack, dns, await newTenant(), token, { Capture: 'join' });
    const people: string[] = [];
    for (const domain of [...domains, { ...marker, Name: `sub.${marker.Name}` }]) {
      const email = at(domain);
      people.push(await register(stack, email));
      bodyOf(await stack.call('Account_Verify', { Token: tokenIn(await mailTo(stack, email)) }));
    }
    // Verified addresses are handled in order of arrival: when the last user has joined, the others
    // would have joined too.
    await joined(marker.Tenant, (await signUp(stack, at(marker))).id);
    for (const userId of people)
      assert.equal(
        await countOf(stack, 'access.tenant_member where user_id = $1', [userId]),
        0,
        userId,
      );
  });

  test('Capture join outlasts an outage of access', {
    skip: topology === 'one process' && 'one process runs all services',
  }, async () => {
    const domain = await own(stack, dns, await newTenant(), token, { Capture: 'join' });
    const email = at(domain);
    const userId = await register(stack, email);
    const Token = tokenIn(await mailTo(stack, email));
    for (let time = 0; time < 3; time++) {
      await eventually('access', () => Promise.resolve(stack.isRunning('access')));
      stack.kill('access');
    }
    await stack.call('Account_Verify', { Token });
    await joined(domain.Tenant, userId);
    await stack.ready();
  });

  test('Domain_Join does not readmit a member whom the tenant has disabled', async () => {
    const Tenant = await newTenant();
    const domain = await own(stack, dns, Tenant, token, { Capture: 'suggest' });
    const person = await signUp(stack, at(domain));
    assert.deepEqual(bodyOf(await join(Tenant, person.token)), {});
    await rowsOf(
      stack,
      `update access.tenant_member set status = 'disabled' where tenant = $1 and user_id = $2`,
      [Tenant, person.id],
    );
    await join(Tenant, person.token);
    assert.deepEqual(
      await rowsOf(
        stack,
        'select status from access.tenant_member where tenant = $1 and user_id = $2',
        [Tenant, person.id],
      ),
      [{ status: 'disabled' }],
    );
  });

  test('Domain_ListSuggestions names the tenant of the caller’s own address, and Domain_Join makes the caller a member', async () => {
    const Tenant = await newTenant();
    await addRole(stack, Tenant, token, { Slug: 'reader', Permissions: ['app.read'] });
    const domain = await own(stack, dns, Tenant, token, {
      Capture: 'suggest',
      DefaultRole: 'reader',
    });
    const person = await signUp(stack, at(domain));
    assert.deepEqual(await suggestions(person.token), [
      { Tenant, Name: domain.Name, Redirect: '' },
    ]);
    const provider = await addProvider(stack, Tenant);
    assert.deepEqual(await suggestions(person.token), [
      { Tenant, Name: domain.Name, Redirect: `${stack.url}/auth/${Tenant}/${provider}/login` },
    ]);
    assert.equal(await isMember(Tenant, person.id), 0);
    assert.deepEqual(bodyOf(await join(Tenant, person.token)), {});
    assert.deepEqual(
      [await isMember(Tenant, person.id), await rolesOf(Tenant, person.id)],
      [1, ['reader']],
    );
    const entry = await eventually('the entry', async () => {
      const Filter = { Actions: ['tenant.member_added'], ActorIDs: [person.id] };
      const { Page } = bodyOf(await stack.call('Audit_List', { Tenant, Filter }, token)) as {
        Page: { Items: Array<{ ActorType: string; CredentialID: string }> };
      };
      return Page.Items[0];
    });
    assert.equal(entry.ActorType, 'user');
    assert.match(entry.CredentialID, /^ses_/);
    assert.equal(
      recordIn(
        await stack.call('Access_Check', { Tenant, Permission: 'app.read' }, person.token),
        'Allowed',
      ),
      true,
    );
  });

  test('Domain_Join uses the address of the session, and no address in the request', async () => {
    const Tenant = await newTenant();
    const domain = await own(stack, dns, Tenant, token, { Capture: 'suggest' });
    const stranger = await signUp(stack);
    assert.deepEqual(await suggestions(stranger.token), []);
    const email = at(domain);
    for (const Target of [Tenant, createId('tnt'), await newTenant()]) {
      const claims = {
        Email: email,
        UserID: stranger.id,
        DefaultRole: 'owner',
        Name: domain.Name,
        Domain: domain.Name,
      };
      assertRefused(await join(Target, stranger.token, claims), 400, 'invalid_argument');
      assertRefused(await join(Target, stranger.token), 400, 'failed_precondition', noSuggestion);
    }
    // Requested but not verified: the address is still the old one.
    bodyOf(
      await stack.call('Account_ChangeEmail', { Email: email, Password: password }, stranger.token),
    );
    assertRefused(await join(Tenant, stranger.token), 400, 'failed_precondition', noSuggestion);
    bodyOf(await stack.call('Account_Verify', { Token: tokenIn(await mailTo(stack, email)) }));
    assert.deepEqual(bodyOf(await join(Tenant, stranger.token)), {});
    for (const credential of [stack.platformKey, undefined]) {
      for (const operation of ['Domain_Join', 'Domain_ListSuggestions']) {
        const { status } = await stack.call(operation, knownTo(operation, { Tenant }), credential);
        assert.equal(status, credential ? 403 : 401);
      }
    }
    assertRefused(await join('', stranger.token), 400, 'invalid_argument', ['Tenant is required']);
  });

  test('off, require_sso, a lapsed domain and a deleted domain offer no suggestion', async () => {
    const Tenant = await newTenant();
    await addProvider(stack, Tenant);
    const domain = await own(stack, dns, Tenant, token, { Capture: 'suggest' });
    const person = await signUp(stack, at(domain));
    const refused = async () => {
      assert.deepEqual(await suggestions(person.token), []);
      assertRefused(await join(Tenant, person.token), 400, 'failed_precondition', noSuggestion);
    };
    for (const Capture of ['off', 'require_sso']) {
      bodyOf(await stack.call('Domain_Update', { Tenant, ID: domain.ID, Capture }, token));
      await refused();
    }
    bodyOf(await stack.call('Domain_Update', { Tenant, ID: domain.ID, Capture: 'join' }, token));
    assert.equal(((await suggestions(person.token)) as unknown[]).length, 1);
    await rowsOf(stack, `update sso.domain set status = 'lapsed' where id = $1`, [domain.ID]);
    await refused();
    await rowsOf(stack, `update sso.domain set status = 'verified' where id = $1`, [domain.ID]);
    bodyOf(await stack.call('Domain_Delete', { Tenant, ID: domain.ID }, token));
    await refused();
  });

  test('Domain_Join is denied in a suspended tenant', async () => {
    const Tenant = await newTenant();
    const domain = await own(stack, dns, Tenant, token, { Capture: 'suggest' });
    const person = await signUp(stack, at(domain));
    bodyOf(await stack.call('Tenants_Suspend', { Tenant }, stack.platformKey));
    assertRefused(await join(Tenant, person.token), 403, 'permission_denied');
    assert.equal(await isMember(Tenant, person.id), 0);
  });
});
