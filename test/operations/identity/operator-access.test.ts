import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { newIdentity } from '../../support/federation.ts';
import { describeOne, eventually, type Stack, startStack } from '../../support/harness.ts';
import { login, mailsTo, mailTo, signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { addTotp } from '../../support/totp.ts';
import { supportCalls } from './support-calls.ts';

const localPart = (email: string): string => email.split('@')[0] ?? '';

type Session = { ID: string; UserID: string; Current: boolean };

describeOne('sessions, factors and roles in the hands of operators', 'one process', (topology) => {
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
  /** The mail to an address with all of these texts. Operators get mails about each other too. */
  const mailWith = (address: string, ...texts: string[]) =>
    eventually(`a mail to ${address} with ${texts.join(', ')}`, async () =>
      (await mailsTo(stack, address)).find(({ Text }) =>
        texts.every((text) => Text.includes(text)),
      ),
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

  test('a role on the platform needs a recent sign-in, and the operators get a mail', async () => {
    const [operator, watcher] = [await newOperator(), await newOperator('platform-support')];
    const { tenant, token: ownerToken } = await newOwner();
    const bot = await createBot(stack, tenant, ownerToken);
    const user = await signUp(stack);
    const grants = [
      ['Grants_Add', { Platform: true, UserID: user.id, Role: 'platform-support' }],
      ['BotGrants_Add', { Platform: true, Bot: bot.ID, Role: 'platform-owner' }],
    ] as const;
    for (const [operation, Grant] of grants) {
      await ask(operation, { Grant, Reason }, operator.token);
      for (const { email } of [operator, watcher])
        await mailWith(email, 'has given', 'Ticket 4712', Grant.Role);
    }
    // The documented request has no reason.
    const other = await signUp(stack);
    const plainGrant = { Platform: true, UserID: other.id, Role: 'platform-support' };
    await ask('Grants_Add', { Grant: plainGrant }, operator.token);
    await mailWith(watcher.email, `given ${localPart(other.email)} `, 'reason is: –');
    const [row] = await rowsOf<{ audit: string }>(
      stack,
      "select audit from access.outbox where type = 'bot_grant.added' and audit like $1",
      [`%${bot.ID}%`],
    );
    assert.ok(row?.audit.includes(Reason));

    // A credential of the bot acts on all accounts.
    const { Key } = await createKey(stack, bot, operator.token);
    await mailWith(watcher.email, 'a credential of the bot', bot.Name);
    await age(operator.id);
    const late = [
      ['Grants_Add', { Grant: grants[0][1], Reason }],
      ['BotGrants_Add', { Grant: grants[1][1], Reason }],
      ['BotKeys_Create', { Tenant: tenant, Bot: bot.ID, Name: 'late' }],
      ['BotKeys_Rotate', { Tenant: tenant, ID: Key.ID }],
      [
        'BotTrusts_Save',
        {
          Trust: {
            Tenant: tenant,
            Bot: bot.ID,
            Issuer: 'https://ci.example',
            Audience: 'a',
            Subject: 's',
          },
        },
      ],
    ] as const;
    for (const [operation, request] of late) {
      const answer = await stack.call(operation, request, operator.token);
      assert.equal(answer.body['Reason'], 'RECENT_LOGIN_REQUIRED', operation);
    }
    // Other bots, and grants in a tenant, are as before.
    const plain = await createBot(stack, tenant, ownerToken);
    await createKey(stack, plain, operator.token);
    const Grant = { Tenant: tenant, Bot: plain.ID, Role: 'admin' };
    await ask('BotGrants_Add', { Grant }, operator.token);
  });

  test('a bot with a role on the platform acts without a reason, and one that states it mails the user', async () => {
    const { tenant, token } = await newOwner();
    const bot = await createBot(stack, tenant, token, { Name: 'Leavers' });
    const Grant = { Platform: true, Bot: bot.ID, Role: 'platform-owner' };
    await ask('BotGrants_Add', { Grant }, stack.platformKey);
    const { Secret } = await createKey(stack, bot, stack.platformKey);
    const user = await signUp(stack);
    await ask('Users_Disable', { UserID: user.id }, Secret);
    await ask('Users_Enable', { UserID: user.id, Reason }, Secret);
    await mailWith(user.email, 'Leavers', 'Ticket 4712');
  });

  test('the operators get a mail about a role and a key that a bot or the platform key gives', async () => {
    const [watcher, user] = [await newOperator('platform-support'), await signUp(stack)];
    const { tenant, token } = await newOwner();
    const bot = await createBot(stack, tenant, token, { Name: 'Provisioner' });
    const byKey = { Platform: true, Bot: bot.ID, Role: 'platform-owner' };
    await ask('BotGrants_Add', { Grant: byKey }, stack.platformKey);
    await mailWith(watcher.email, 'The platform key has given Provisioner', 'platform-owner');
    const { Secret } = await createKey(stack, bot, stack.platformKey);
    await mailWith(watcher.email, 'The platform key has created', 'the bot Provisioner');

    const byBot = { Platform: true, UserID: user.id, Role: 'auditor' };
    await ask('Grants_Add', { Grant: byBot, Reason }, Secret);
    await mailWith(watcher.email, 'Provisioner has given', 'auditor', 'Ticket 4712');
    await createKey(stack, bot, Secret);
    await mailWith(watcher.email, 'Provisioner has created', 'the bot Provisioner');

    // A role that is there already, one on a resource and one in a tenant send none.
    const taskCount = () =>
      countOf(stack, "access.outbox where tasks::text like '%platform_role_given%'");
    const before = await taskCount();
    await ask('Grants_Add', { Grant: byBot }, Secret);
    await ask('Grants_Add', { Grant: { ...byBot, Resource: 'report:8' } }, Secret);
    const inTenant = { Tenant: tenant, Bot: bot.ID, Role: 'admin' };
    await ask('BotGrants_Add', { Grant: inTenant }, stack.platformKey);
    assert.equal(await taskCount(), before);
  });

  test('the removal of a role on the platform from another needs a recent sign-in, and the operators get a mail', async () => {
    const [operator, watcher] = [await newOperator(), await newOperator('platform-support')];
    const [user, other] = [await newOperator('auditor'), await newOperator('auditor')];
    const roleOf = ({ id }: { id: string }, Role = 'auditor') => ({
      Grant: { Platform: true, UserID: id, Role },
    });
    const removed = (email: string) =>
      `removed the role auditor on Bailiwick from ${localPart(email)}.`;
    await ask('Grants_Remove', roleOf(user), operator.token);
    // The user was an operator before.
    for (const { email } of [operator, watcher, user]) await mailWith(email, removed(user.email));
    await age(operator.id);
    const late = await stack.call('Grants_Remove', roleOf(other), operator.token);
    assert.equal(late.body['Reason'], 'RECENT_LOGIN_REQUIRED');
    await ask('Grants_Remove', roleOf(other), stack.platformKey);
    await mailWith(watcher.email, `The platform key has ${removed(other.email)}`);

    // One that is not there sends none, and a role of one's own needs no recent sign-in.
    const taskCount = () =>
      countOf(stack, "access.outbox where tasks::text like '%platform_role_removed%'");
    const before = await taskCount();
    await ask('Grants_Remove', roleOf(other), stack.platformKey);
    await ask('Grants_Remove', roleOf(operator, 'platform-owner'), operator.token);
    assert.equal(await taskCount(), before);
    const refused = await stack.call('Grants_Remove', roleOf(watcher), operator.token);
    assertRefused(refused, 403, 'permission_denied');
  });
});
