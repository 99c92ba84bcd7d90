import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { newIdentity } from '../../support/federation.ts';
import { describeOne, type Stack, startStack } from '../../support/harness.ts';
import { login, mailTo, signUp } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import { addTotp, totp } from '../../support/totp.ts';
import { supportCalls } from './support-calls.ts';

type Session = { ID: string; UserID: string; Current: boolean };

describeOne('sessions and factors in the hands of operators', 'one process', (topology) => {
  let stack: Stack;
  const { newOperator, newOwner } = supportCalls(() => stack);
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  const Reason = 'Ticket 4712: stolen laptop';
  const ask = async (operation: string, request: object, token: string) =>
    bodyOf(await stack.call(operation, request, token));
  const sessionsOf = async (UserID: string, token: string) => {
    const { Page } = await ask('Users_ListSessions', { UserID }, token);
    return (Page as { Items: Session[] }).Items;
  };
  const auditOf = (type: string, userId: string) =>
    rowsOf<{ audit: string; event: string }>(
      stack,
      'select audit, event from identity.outbox where type = $1 and audit like $2',
      [type, `%${userId}%`],
    );
  const age = (userId: string) =>
    rowsOf(
      stack,
      "update identity.session set created_at = now() - interval '20 minutes' where user_id = $1",
      [userId],
    );
  const statusOf = async (token: string) => (await stack.call('Account_Get', {}, token)).status;

  test('an operator lists the sessions of a user, ends one and then all, and the user gets a mail each time', async () => {
    const [operator, user, other] = [await newOperator(), await signUp(stack), await signUp(stack)];
    const second = String(bodyOf(await login(stack, user.email))['Token']);
    const sessions = await sessionsOf(user.id, operator.token);
    assert.equal(sessions.length, 2);
    assert.ok(sessions.every(({ UserID, Current }) => UserID === user.id && !Current));
    const [first] = await sessionsOf(user.id, operator.token);
    const [foreign] = await sessionsOf(other.id, operator.token);
    assert.ok(first && foreign);

    const request = { UserID: user.id, ID: first.ID };
    assertRefused(
      await stack.call('Users_RevokeSession', request, operator.token),
      400,
      'invalid_argument',
      ['Reason is required'],
    );
    // The session of another user stays, although the request names this user.
    const wrong = { UserID: user.id, ID: foreign.ID, Reason };
    await ask('Users_RevokeSession', wrong, operator.token);
    assert.equal(await statusOf(other.token), 200);
    await ask('Users_RevokeSession', { ...request, Reason }, operator.token);
    assert.deepEqual(
      [await statusOf(user.token), await statusOf(second)].toSorted((a, b) => a - b),
      [200, 401],
    );
    const [row, ...more] = await auditOf('session.revoked', user.id);
    assert.ok(row && more.length === 0);
    assert.ok(row.audit.includes(Reason) && row.audit.includes(user.email));
    assert.ok(!row.event.includes('4712'));
    const mail = await mailTo(stack, user.email, 2);
    assert.match(mail.Text, /Ticket 4712/);

    await login(stack, user.email);
    await ask('Users_RevokeAllSessions', { UserID: user.id, Reason }, operator.token);
    assert.deepEqual(await sessionsOf(user.id, operator.token), []);
    assert.deepEqual([await statusOf(user.token), await statusOf(second)], [401, 401]);
    // Two sessions end, and one mail says so.
    await mailTo(stack, user.email, 3);
    const mails = await rowsOf(
      stack,
      `select from identity.outbox where tasks::text like '%sessions_ended%' and tasks::text like $1`,
      [`%${user.email}%`],
    );
    assert.equal(mails.length, 2);
  });

  test('of the operator’s own sessions, that of the call is marked', async () => {
    const operator = await newOperator();
    const second = String(bodyOf(await login(stack, operator.email))['Token']);
    const marked = async (token: string) =>
      (await sessionsOf(operator.id, token)).filter(({ Current }) => Current).map(({ ID }) => ID);
    const [one, two] = [await marked(operator.token), await marked(second)];
    assert.deepEqual([one.length, two.length], [1, 1]);
    assert.notDeepEqual(one, two);
  });

  test('an operator who ends no session but a sign-in that waits for its second step is in the audit', async () => {
    const [operator, user] = [await newOperator(), await signUp(stack)];
    const { secret } = await addTotp(stack, user.token);
    const end = () => ask('Users_RevokeAllSessions', { UserID: user.id, Reason }, operator.token);
    const challenge = async () => String(bodyOf(await login(stack, user.email))['Challenge']);
    // The entries of the sessions name the act.
    await challenge();
    await end();
    assert.deepEqual(await auditOf('user.sign_ins_voided', user.id), []);

    const Challenge = await challenge();
    await end();
    const request = { Challenge, Totp: totp(secret) };
    const dead = await stack.call('Account_CompleteLogin', request);
    assert.equal(dead.body['Reason'], 'DEAD_TOKEN');
    // Without a sign-in there is nothing to name.
    await end();
    const [row, ...more] = await auditOf('user.sign_ins_voided', user.id);
    assert.ok(row && more.length === 0);
    assert.ok(row.audit.includes(Reason) && row.audit.includes(user.email), row.audit);
    assert.equal(row.event, null);
    // Of the registration, the new factor, the sessions and the sign-in.
    const { Text } = await mailTo(stack, user.email, 4);
    assert.match(Text, /sessions or unfinished sign-ins .*\n[^]*Ticket 4712/);
  });

  test('an operator sees the kinds of factors, and nothing secret of them', async () => {
    const [reader, user] = [await newOperator('platform-support'), await signUp(stack)];
    const { secret } = await addTotp(stack, user.token);
    const listed = await ask('Users_ListFactors', { UserID: user.id }, reader.token);
    const [factor, ...more] = listed['Factors'] as Array<Record<string, unknown>>;
    assert.ok(factor && more.length === 0);
    assert.equal(factor['Kind'], 'totp');
    assert.ok(factor['CreatedAt']);
    assert.ok(!JSON.stringify(listed).includes(secret));
    assert.equal(listed['RecoveryCodesLeft'], 0);
    const unknown = { UserID: createId('usr') };
    for (const operation of ['Users_ListFactors', 'Users_ListSessions'])
      assertRefused(await stack.call(operation, unknown, reader.token), 400, 'not_found');
  });

  test('neither a reader of the platform nor an owner of a tenant ends sessions of others', async () => {
    const [reader, owner] = [await newOperator('platform-support'), await newOwner()];
    const user = await signUp(stack);
    const added = { Tenant: owner.tenant, UserID: user.id };
    await ask('TenantMembers_Add', added, stack.platformKey);
    const [session] = await sessionsOf(user.id, reader.token);
    for (const { token } of [reader, owner])
      for (const [operation, more] of [
        ['Users_RevokeSession', { ID: session?.ID }],
        ['Users_RevokeAllSessions', {}],
      ] as const)
        assertRefused(
          await stack.call(operation, { UserID: user.id, Reason, ...more }, token),
          403,
          'permission_denied',
        );
    for (const operation of ['Users_ListSessions', 'Users_ListFactors'])
      assertRefused(
        await stack.call(operation, { UserID: user.id }, owner.token),
        403,
        'permission_denied',
      );
    assert.equal(await statusOf(user.token), 200);
  });

  test('an operator who changes a user or an identity needs a reason and a recent sign-in, and the user gets a mail', async () => {
    const [operator, user] = [await newOperator(), await signUp(stack)];
    const { tenant } = await newOwner();
    const provider = await newIdentity(stack, user.id, tenant);
    const acts = [
      ['Users_Update', { User: { ID: user.id, Name: 'Renamed' } }, 'user.updated'],
      ['Users_ConfirmIdentity', { UserID: user.id, Provider: provider }, 'user.identity_confirmed'],
      ['Users_RemoveIdentity', { UserID: user.id, Provider: provider }, 'user.identity_removed'],
    ] as const;
    let mails = 1;
    for (const [operation, request, type] of acts) {
      assertRefused(await stack.call(operation, request, operator.token), 400, 'invalid_argument', [
        'Reason is required',
      ]);
      assert.deepEqual(await auditOf(type, user.id), []);
      await ask(operation, { ...request, Reason }, operator.token);
      mails += 1;
      assert.match((await mailTo(stack, user.email, mails)).Text, /Ticket 4712/);
      const [row] = await auditOf(type, user.id);
      assert.ok(row?.audit.includes(Reason), operation);
    }
    await age(operator.id);
    for (const [operation, request] of acts) {
      const late = await stack.call(operation, { ...request, Reason }, operator.token);
      assert.equal(late.body['Reason'], 'RECENT_LOGIN_REQUIRED', operation);
    }
    // The own account needs none, and neither does the platform key.
    await ask('Users_Update', { User: { ID: user.id, Name: 'Own' } }, user.token);
    await ask('Users_Update', { User: { ID: user.id, Name: 'Key' } }, stack.platformKey);
  });
});
