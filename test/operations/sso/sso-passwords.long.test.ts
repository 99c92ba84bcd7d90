import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceCaller } from '@bailiwick/contract';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { unavailable } from '@bailiwick/errors';
import { routes, serve } from '@bailiwick/pipeline';
import { Domain } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { PasswordPolicy } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { listenRpc } from '@bailiwick/wire';
import { create } from '@bufbuild/protobuf';
import { assertRefused } from '../../support/answers.ts';
import { type Answer, type Stack, startStack } from '../../support/harness.ts';
import { addPasskey, signInWith } from '../../support/passkeys.ts';
import {
  createTenant,
  mailTo,
  newAddress,
  password,
  register,
  signUp,
  tokenIn,
} from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';

// Password sign-in where a domain requires single sign-on. A stand-in for sso returns the policy
// that a test sets for example.com; everything else is the product.

type Policy = { tenant: string; lifted: boolean };

/** Waits until identity's cached policy of a domain has expired. */
const cacheExpired = () => sleep(2100);

const nothing = () => Promise.resolve({});

describe('passwords and single sign-on', () => {
  let stack: Stack;
  let policy: Policy | undefined;
  let lookups: string[] = [];
  let standIn: Awaited<ReturnType<typeof listenRpc>>;
  let owner: { id: string; email: string; token: string };
  let member: { id: string; email: string };
  let tenant: string;
  before(async () => {
    standIn = await listenRpc({
      host: loopback,
      port: 0,
      grpcPort: 0,
      // The gateway checks that sso is available by an operation of Domain.
      routes: routes(serve(PasswordPolicy, { find: nothing }), [
        Domain,
        Object.fromEntries(Domain.methods.map(({ localName }) => [localName, nothing])),
      ]),
      dispatch: async (method, request) => {
        if (method.name !== 'Find') return create(method.output, {});
        const { domain } = request as unknown as { domain: string };
        lookups.push(domain);
        if (!policy) throw unavailable();
        return create(method.output, domain === 'example.com' ? policy : {});
      },
      verify: () => serviceCaller('identity'),
      readiness: () => Promise.resolve(undefined),
    });
    policy = { tenant: '', lifted: false };
    stack = await startStack('five processes', {
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_SSO_URL: `http://${loopback}:${standIn.port}`,
    });
    [owner, member] = [await signUp(stack), await signUp(stack)];
    tenant = await createTenant(stack, owner.token);
  });
  after(async () => {
    await stack?.stop();
    await standIn?.drain();
  });
  beforeEach(() => {
    lookups = [];
  });

  const login = (Email: string, Password = password) =>
    stack.call('Account_Login', { Email, Password });
  const assertSso = (answer: Answer) =>
    assertRefused(answer, 403, 'permission_denied', ['sign in with your organisation']);
  async function want(next: Policy | undefined): Promise<void> {
    policy = next;
    await cacheExpired();
  }

  test('if no domain requires single sign-on, passwords work, and identity asks sso at most once in two seconds', async () => {
    await want({ tenant: '', lifted: false });
    lookups = [];
    for (let time = 0; time < 5; time++) assert.equal((await login(member.email)).status, 200);
    assertRefused(await login('no address'), 401, 'unauthenticated');
    assert.ok(
      lookups.length <= 2 && lookups.every((domain) => domain === 'example.com'),
      lookups.join(),
    );
  });

  test('a passkey of such a domain opens no session, unless the requirement is lifted for its owner', async () => {
    await want({ tenant: '', lifted: false });
    const [ownKey, memberKey] = await Promise.all(
      [owner, await signUp(stack)].map(({ token }) => addPasskey(stack, token)),
    );
    assert.ok(ownKey && memberKey);
    for (const { passkey } of [ownKey, memberKey])
      assert.equal((await signInWith(stack, passkey)).status, 200);
    await want({ tenant, lifted: false });
    for (const { passkey } of [ownKey, memberKey]) assertSso(await signInWith(stack, passkey));
    await want({ tenant, lifted: true });
    assert.equal((await signInWith(stack, ownKey.passkey)).status, 200);
    assertSso(await signInWith(stack, memberKey.passkey));
  });

  test('if a domain requires single sign-on, no password works, every address gets the same answer, and no password is checked', async () => {
    await want({ tenant, lifted: false });
    const pending = newAddress('pending');
    await register(stack, pending);
    const sessions = await countOf(stack, 'identity.session');
    const failures = await countOf(stack, 'identity.login_failure');
    const audits = await countOf(stack, `identity.outbox where audit like '%user.sign_in_failed%'`);
    const addresses = [
      owner.email,
      member.email,
      member.email.toUpperCase().replace('EXAMPLE.COM', 'ExAmPlE.cOm'),
      pending,
      newAddress('unknown'),
    ];
    for (const email of addresses) {
      for (const secret of [password, 'a wrong password']) {
        const answer = await login(email, secret);
        assertSso(answer);
        assert.deepEqual(Object.keys(answer.body).sort(), [
          'Code',
          'Message',
          'Messages',
          'Params',
          'Problems',
          'Reason',
          'RequestID',
        ]);
      }
    }
    assert.equal(await countOf(stack, 'identity.session'), sessions);
    // Every password check is counted before it runs.
    assert.equal(
      await countOf(stack, `identity.rate_window where key like 'login ' || $1 || '%'`, [pending]),
      0,
    );
    assert.equal(await countOf(stack, 'identity.login_failure'), failures);
    assert.equal(
      await countOf(stack, `identity.outbox where audit like '%user.sign_in_failed%'`),
      audits + 10,
    );
    const [entry] = await rowsOf<{ audit: string }>(
      stack,
      `select audit from identity.outbox where audit like '%user.sign_in_failed%' order by id desc limit 1`,
    );
    assert.equal((JSON.parse(entry?.audit ?? '{}') as { Code: string }).Code, 'permission_denied');
    // A dot behind the name changes nothing, and another name is another domain.
    assertSso(await login(`${member.email}.`));
    assertRefused(await login(member.email.replace('@', '@sub.')), 401, 'unauthenticated');
  });

  test('Account_ResetPassword in such a domain opens no session, and does not end the requirement', async () => {
    await want({ tenant, lifted: false });
    const { email } = member;
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = await stack.call('Account_ResetPassword', {
      Token: tokenIn(await mailTo(stack, email, 2)),
      Password: password,
    });
    assert.deepEqual([reset.status, reset.body, reset.headers.get('set-cookie')], [200, {}, null]);
    assertSso(await login(email));
  });

  test('Account_ChangeEmail and Account_Verify do not move an account out of such a domain, even if requested before', async () => {
    await want({ tenant: '', lifted: false });
    const person = await signUp(stack);
    const change = { Email: newAddress('next'), Password: password };
    assert.equal((await stack.call('Account_ChangeEmail', change, person.token)).status, 200);
    const Token = tokenIn(await mailTo(stack, change.Email));
    await want({ tenant, lifted: false });
    const messages = ['your organisation manages this address: it cannot be changed here'];
    for (const answer of [
      await stack.call('Account_ChangeEmail', change, person.token),
      await stack.call('Account_Verify', { Token }),
    ])
      assertRefused(answer, 403, 'permission_denied', messages);
    await want({ tenant: '', lifted: false });
    assert.equal((await stack.call('Account_Verify', { Token })).status, 200);
  });

  test('while the requirement is lifted, only the owners of that tenant sign in with a password', async () => {
    await want({ tenant, lifted: true });
    const [other, pending] = [await signUpElsewhere(), newAddress('pending')];
    await register(stack, pending);
    assert.equal((await login(owner.email)).status, 200);
    for (const email of [member.email, other, pending]) assertSso(await login(email));
    for (const email of [owner.email, member.email, other, pending, newAddress('unknown')]) {
      assertRefused(await login(email, 'a wrong password'), 401, 'unauthenticated', [
        'email or password is wrong',
      ]);
    }
    assert.equal(
      await countOf(stack, 'identity.login_failure where email_key = $1 and failures > 0', [
        owner.email,
      ]),
      1,
      'wrong passwords are counted',
    );
  });

  test('an owner signs in even if more than a thousand others own the tenant', async () => {
    await want({ tenant, lifted: true });
    const copies = (table: string, changes: string) =>
      rowsOf(
        stack,
        `insert into access.${table} select (jsonb_populate_record(t, ${changes})).* from access.${table} t, generate_series(1, 1100) n
         where t.tenant = $1 and to_jsonb(t)::text like '%' || $2 || '%'`,
        [tenant, owner.id],
      );
    await copies(
      'tenant_member',
      `jsonb_build_object('user_id', 'usr_0' || lpad(n::text, 25, '0'))`,
    );
    await copies(
      'grant_entry',
      `jsonb_build_object('id', 'grt_0' || lpad(n::text, 25, '0'), 'subject', 'usr_0' || lpad(n::text, 25, '0'))`,
    );
    assert.ok(
      (await countOf(
        stack,
        `access.grant_entry where tenant = $1 and role = 'owner' and subject < $2`,
        [tenant, owner.id],
      )) >= 1100,
    );
    assert.equal((await login(owner.email)).status, 200);
    assertSso(await login(member.email));
  });

  test('while sso is unavailable no password works, and the next call asks sso again', async () => {
    await want(undefined);
    for (const email of [owner.email, newAddress('unknown')]) {
      const answer = await login(email);
      assert.deepEqual([answer.status, answer.body.Code], [500, 'unavailable']);
    }
    policy = { tenant: '', lifted: false };
    assert.equal((await login(owner.email)).status, 200);
  });

  /** An owner of another tenant. */
  async function signUpElsewhere(): Promise<string> {
    const email = newAddress('elsewhere');
    const { body } = await stack.call(
      'Users_Create',
      { User: { Email: email }, Password: password },
      stack.platformKey,
    );
    const OwnerID = (body['User'] as { ID: string }).ID;
    assert.equal(
      (
        await stack.call(
          'Tenants_Create',
          { Tenant: { Name: 'Elsewhere' }, OwnerID },
          stack.platformKey,
        )
      ).status,
      200,
    );
    return email;
  }
});
