// 28 s: runs in both topologies, and hashes 200 passwords at once in each.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { forgetRights } from '@bailiwick/deploy/admin.ts';
import { codeHash } from '@bailiwick/sso/requirement/recovery/codes.ts';
import { assertRefused, bodyOf, retryWhileBusy } from '../support/answers.ts';
import { createBot } from '../support/bots.ts';
import { describeBoth, eventually, type Stack } from '../support/harness.ts';
import { login, mailsTo, newAddress, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { countOf, dumpOf, eventsOf, rowsOf, textBelow } from '../support/store.ts';
import { addTotp, totp, wrongTotp } from '../support/totp.ts';
import {
  addPerson,
  assertWrong,
  createBroken,
  createCodes,
  joinAs,
  recover,
  requireByDomain,
  requirementOf,
  unknown,
} from './recovery.ts';

// Owners sign in although their tenant's identity provider does not work.

describeBoth('recovery codes of single sign-on', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  const liftsOf = async (tenant: string) =>
    (await eventsOf(stack, 'sso', tenant)).filter(({ type }) => type === 'sso.requirement_lifted');

  test('Sso_CreateRecoveryCodes shows eight codes once, replaces the earlier ones and mails all owners', async () => {
    const { home, codes } = await createBroken(stack);
    assert.equal(new Set(codes).size, 8);
    const state = await requirementOf(stack, home);
    assert.deepEqual([state.Required, state.RecoveryCodesLeft], [false, 8]);
    assert.ok(state.RecoveryCodesCreatedAt !== undefined && state.LiftedUntil === undefined);
    const ada = await addPerson(stack, home, 'owner');
    const [code = ''] = await createCodes(stack, home);
    for (const { email } of [home.owner, ada])
      await eventually('the mail', async () =>
        (await mailsTo(stack, email)).some(
          ({ Subject }) => Subject === 'New recovery codes for single sign-on',
        ),
      );
    await requireByDomain(stack, home);
    assertWrong(await recover(stack, ada.email, codes[0] ?? ''));
    bodyOf(await recover(stack, ada.email, code));
    assert.equal((await requirementOf(stack, home)).RecoveryCodesLeft, 7);
    const created = (await eventsOf(stack, 'sso', home.tenant)).filter(
      ({ type }) => type === 'sso.recovery_codes_created',
    );
    assert.deepEqual(
      created.map(({ data }) => data),
      [
        { Required: false, RecoveryCodesLeft: 8 },
        { Required: false, RecoveryCodesLeft: 8 },
      ],
    );
  });

  test('Sso_CreateRecoveryCodes and Sso_GetRequirement need the permissions of a provider’s settings, and a recent sign-in where the tenant asks for one', async () => {
    const { home } = await createBroken(stack);
    const { tenant: Tenant, owner } = home;
    const [admin, member] = [
      await addPerson(stack, home, 'admin'),
      await addPerson(stack, home, 'member'),
    ];
    const create = (token: string) => stack.call('Sso_CreateRecoveryCodes', { Tenant }, token);
    bodyOf(await create(admin.token));
    for (const operation of ['Sso_CreateRecoveryCodes', 'Sso_GetRequirement'])
      assertRefused(
        await stack.call(operation, { Tenant }, member.token),
        403,
        'permission_denied',
      );
    await createBot(stack, Tenant, owner.token);
    bodyOf(
      await stack.call(
        'Tenants_Update',
        { Tenant: { ID: Tenant, Settings: { RecentLogin: true } } },
        owner.token,
      ),
    );
    await rowsOf(
      stack,
      "update identity.session set created_at = now() - interval '1 hour' where user_id = $1",
      [admin.id],
    );
    await forgetRights({ DATABASE_URL: stack.databaseUrl });
    await eventually('the recent sign-in is required', async () => {
      const { status, body } = await create(admin.token);
      return status === 403 && body.Reason === 'RECENT_LOGIN_REQUIRED';
    });
  });

  test('a code lifts the requirement of a domain for an hour, names the owner in event, audit and mail, and works once', async () => {
    const { home, codes } = await createBroken(stack);
    const ada = await addPerson(stack, home, 'owner');
    await requireByDomain(stack, home);
    // identity caches the policy of a domain for two seconds.
    await eventually('the requirement', async () => {
      const { status, body } = await login(stack, ada.email);
      return status === 403 && body.Reason === 'SSO_REQUIRED';
    });
    const typed = ` ${(codes[0] ?? '').toUpperCase().replaceAll('-', ' ')} `;
    const opened = bodyOf(await recover(stack, ada.email, typed));
    assert.match(String(opened['Token']), /^bwks_/);
    assert.deepEqual((opened['Session'] as { AuthMethods: string[] }).AuthMethods, ['password']);
    bodyOf(await stack.call('Groups_List', { Tenant: home.tenant }, String(opened['Token'])));
    const state = await requirementOf(stack, home);
    const minutes = (Date.parse(state.LiftedUntil ?? '') - Date.now()) / 60_000;
    assert.ok(minutes > 58 && minutes <= 60, state.LiftedUntil);
    assert.deepEqual([state.Required, state.RecoveryCodesLeft], [true, 7]);
    const [lift, ...others] = await liftsOf(home.tenant);
    assert.deepEqual(lift?.data, { Until: state.LiftedUntil, UserID: ada.id });
    assert.equal(others.length, 0);
    const [row] = await rowsOf<{ audit: string }>(
      stack,
      "select audit from sso.outbox where for_tenant = $1 and type = 'sso.requirement_lifted'",
      [home.tenant],
    );
    const entry = JSON.parse(row?.audit ?? '{}') as Record<string, unknown>;
    assert.deepEqual([entry['ActorType'], entry['ActorID']], ['user', ada.id]);
    for (const { email } of [home.owner, ada]) {
      const notice = await eventually('the notice', async () =>
        (await mailsTo(stack, email)).find(
          ({ Subject }) => Subject === 'A recovery code lifted single sign-on',
        ),
      );
      assert.ok(notice.Text.includes(ada.email.split('@')[0] ?? ''), notice.Text);
    }
    assertWrong(await recover(stack, ada.email, codes[0] ?? ''));
    await eventually('the lift', async () => (await login(stack, ada.email)).status === 200);
  });

  test('Settings.RequireSso is lifted too: the session holds the owner’s rights at once', async () => {
    const { home, codes } = await createBroken(stack);
    const { tenant: Tenant, owner } = home;
    bodyOf(
      await stack.call(
        'Tenants_Update',
        { Tenant: { ID: Tenant, Settings: { RequireSso: true } } },
        stack.platformKey,
      ),
    );
    const groups = (token: string) => stack.call('Groups_List', { Tenant }, token);
    const plain = String(bodyOf(await login(stack, owner.email))['Token']);
    await eventually('the requirement', async () => (await groups(plain)).status === 403);
    const opened = bodyOf(await recover(stack, owner.email, codes[0] ?? ''));
    bodyOf(await groups(String(opened['Token'])));
    const { Required, RecoveryCodesLeft } = await requirementOf(stack, home);
    assert.deepEqual([Required, RecoveryCodesLeft], [true, 7]);
  });

  test('the answer is the same for a wrong password, an unknown code, a user who is no owner, another tenant’s code and an unknown address', async () => {
    const [{ home, codes }, other] = [await createBroken(stack), await createBroken(stack)];
    const [code = ''] = codes;
    const [ada, admin] = [
      await addPerson(stack, home, 'owner'),
      await addPerson(stack, home, 'admin'),
    ];
    const stranger = await signUp(stack);
    await requireByDomain(stack, home);
    const answers = [
      await recover(stack, ada.email, code, 'a wrong password'),
      await recover(stack, ada.email, unknown),
      await recover(stack, ada.email, unknown, 'a wrong password'),
      await recover(stack, ada.email, other.codes[0] ?? ''),
      await recover(stack, admin.email, code),
      await recover(stack, admin.email, unknown),
      await recover(stack, stranger.email, code),
      await recover(stack, newAddress('missing'), code),
      await recover(stack, 'no address', code),
    ];
    for (const answer of answers) assertWrong(answer);
    const [first, ...rest] = answers.map(({ body }) => ({ ...body, RequestID: '' }));
    for (const body of rest) assert.deepEqual(body, first);
    // A right password with an unknown code counts like a wrong one, and shows nothing later.
    const failures = (email: string) =>
      rowsOf<{ failures: number }>(
        stack,
        'select sum(failures)::int as failures from identity.login_failure where email_key = $1',
        [email],
      );
    assert.deepEqual(await failures(ada.email), [{ failures: 4 }]);
    assert.deepEqual(await failures(admin.email), [{ failures: 2 }]);
    assert.equal((await requirementOf(stack, home)).RecoveryCodesLeft, 8);
    assert.deepEqual(await liftsOf(home.tenant), []);
  });

  test('the second factor still counts: a code is used only after it, and stays unused after a wrong one', async () => {
    const { home, codes } = await createBroken(stack);
    const ada = await addPerson(stack, home, 'owner');
    const { secret } = await addTotp(stack, ada.token);
    await requireByDomain(stack, home);
    const challenged = bodyOf(await recover(stack, ada.email, codes[0] ?? ''));
    assert.deepEqual([challenged['Token'], challenged['Factors']], ['', ['totp']]);
    const Challenge = String(challenged['Challenge']);
    const complete = (Totp: string) => stack.call('Account_CompleteLogin', { Challenge, Totp });
    assertRefused(await complete(wrongTotp(secret)), 401, 'unauthenticated', ['code is wrong']);
    assert.equal((await requirementOf(stack, home)).RecoveryCodesLeft, 8);
    assert.deepEqual(await liftsOf(home.tenant), []);
    const opened = bodyOf(await complete(totp(secret)));
    assert.deepEqual((opened['Session'] as { AuthMethods: string[] }).AuthMethods, [
      'password',
      'totp',
    ]);
    assert.equal((await requirementOf(stack, home)).RecoveryCodesLeft, 7);
    assert.equal((await liftsOf(home.tenant)).length, 1);
  });

  test('a challenge opens nothing once its code was replaced, or its user owns the tenant no longer', async () => {
    const { home, codes } = await createBroken(stack);
    const { tenant: Tenant, owner } = home;
    const ada = await addPerson(stack, home, 'owner');
    const { secret } = await addTotp(stack, ada.token);
    await requireByDomain(stack, home);
    const challengeOf = async (code = '') =>
      String(bodyOf(await recover(stack, ada.email, code))['Challenge']);
    const replaced = await challengeOf(codes[0]);
    const [fresh] = await createCodes(stack, home);
    const answer = (Challenge: string, steps: number) =>
      stack.call('Account_CompleteLogin', { Challenge, Totp: totp(secret, steps) });
    assertWrong(await answer(replaced, 0));
    const ended = await challengeOf(fresh);
    const grant = { Tenant, UserID: ada.id, Role: 'owner' };
    bodyOf(await stack.call('Grants_Remove', { Grant: grant }, owner.token));
    assertWrong(await answer(ended, 1));
    assert.equal((await requirementOf(stack, home)).RecoveryCodesLeft, 8);
    assert.equal(await countOf(stack, 'identity.session where user_id = $1', [ada.id]), 1);
  });

  test('a challenge opens nothing once another tenant requires its own provider for the address', async () => {
    const [{ home, codes }, other] = [await createBroken(stack), await createBroken(stack)];
    const ada = await addPerson(stack, other.home, 'member');
    await joinAs(stack, home, ada.id, 'owner');
    const { secret } = await addTotp(stack, ada.token);
    const { Challenge } = bodyOf(await recover(stack, ada.email, codes[0] ?? ''));
    await requireByDomain(stack, other.home);
    await eventually('the requirement', async () => (await login(stack, ada.email)).status === 403);
    assertWrong(await stack.call('Account_CompleteLogin', { Challenge, Totp: totp(secret) }));
    assertWrong(await recover(stack, ada.email, codes[0] ?? ''));
    assert.equal((await requirementOf(stack, home)).RecoveryCodesLeft, 8);
  });

  test('one code has one winner among 200', async () => {
    const { home, codes } = await createBroken(stack);
    const ada = await addPerson(stack, home, 'owner');
    await requireByDomain(stack, home);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        retryWhileBusy(() => recover(stack, ada.email, codes[0] ?? '')),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal((await requirementOf(stack, home)).RecoveryCodesLeft, 7);
    assert.equal((await liftsOf(home.tenant)).length, 1);
    assert.equal(await countOf(stack, 'identity.session where user_id = $1', [ada.id]), 2);
  });

  test('the codes of a tenant are in no table, event, log or broker file', async () => {
    const { home, codes } = await createBroken(stack);
    const ada = await addPerson(stack, home, 'owner');
    await requireByDomain(stack, home);
    bodyOf(await recover(stack, ada.email, codes[0] ?? ''));
    const dumps = [await dumpOf(stack, 'sso'), await dumpOf(stack, 'identity')];
    const everything = [...dumps, textBelow(stack.folder)].join('\n');
    const stored = Buffer.from(codeHash(codes[1] ?? '')).toString('hex');
    assert.ok(everything.includes(stored), 'the searched text covers the stored hashes');
    for (const code of codes)
      for (const needle of [code, code.replaceAll('-', '')])
        assert.ok(!everything.includes(needle));
  });
});
