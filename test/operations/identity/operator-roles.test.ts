import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne, eventually, type Stack, startStack } from '../../support/harness.ts';
import { mailsTo, signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { supportCalls } from './support-calls.ts';

const localPart = (email: string): string => email.split('@')[0] ?? '';

describeOne('roles on the platform', 'one process', (topology) => {
  let stack: Stack;
  const { newOperator, newOwner } = supportCalls(() => stack);
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  const Reason = 'Ticket 4712: stolen laptop';
  const ask = async (operation: string, request: object, token: string) =>
    bodyOf(await stack.call(operation, request, token));
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
    // The role is there and gets an end, which the mail names.
    const ExpiresAt = '2100-03-01T12:00:00Z';
    await ask('Grants_Add', { Grant: { ...plainGrant, ExpiresAt } }, operator.token);
    await mailWith(watcher.email, `given ${localPart(other.email)} `, 'until March 1, 2100');
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

  test('a bot with a role on the platform is disabled, enabled and deleted only after a recent sign-in, with a mail', async () => {
    const [operator, late] = [await newOperator(), await newOperator()];
    const watcher = await newOperator('platform-support');
    const { tenant, token } = await newOwner();
    const [bot, plain] = [
      await createBot(stack, tenant, token, { Name: 'Archivist' }),
      await createBot(stack, tenant, token, { Name: 'Plain' }),
    ];
    const Grant = { Platform: true, Bot: bot.ID, Role: 'platform-support' };
    await ask('BotGrants_Add', { Grant }, stack.platformKey);
    const ofResource = { ...Grant, Bot: plain.ID, Resource: 'report:8' };
    await ask('BotGrants_Add', { Grant: ofResource }, stack.platformKey);
    const switchTo = (Active: boolean) => ({ Bot: { Tenant: tenant, ID: bot.ID, Active } });
    const deletion = { Tenant: tenant, ID: bot.ID };
    const isEnabled = async () =>
      ((await ask('Bots_Get', deletion, operator.token))['Bot'] as { Active: boolean }).Active;
    await age(late.id);
    const refuse = async (operation: string, request: object) => {
      const { body } = await stack.call(operation, request, late.token);
      assert.equal(body['Reason'], 'RECENT_LOGIN_REQUIRED', operation);
    };
    const taskCount = () =>
      countOf(stack, "identity.outbox where tasks::text like '%platform_bot_changed%'");

    await refuse('Bots_Save', switchTo(false));
    await refuse('Bots_Delete', deletion);
    assert.equal(await isEnabled(), true);
    assert.equal(await taskCount(), 0);
    await ask('Bots_Save', switchTo(false), operator.token);
    const mails = await taskCount();
    await mailWith(watcher.email, localPart(operator.email), 'the bot Archivist');
    await refuse('Bots_Save', switchTo(true));
    assert.equal(await isEnabled(), false);
    // Another name changes no rights.
    const named = { Bot: { Tenant: tenant, ID: bot.ID, Name: 'Archivist' } };
    await ask('Bots_Save', named, late.token);
    await ask('Bots_Save', switchTo(false), late.token);
    assert.equal(await taskCount(), mails);
    // The platform key has no sign-in, and a bot without a role on the whole platform needs none.
    await ask('Bots_Delete', deletion, stack.platformKey);
    await mailWith(watcher.email, 'The platform key has disabled', 'the bot Archivist');
    await ask('Bots_Delete', { Tenant: tenant, ID: plain.ID }, late.token);
    assert.equal(await taskCount(), 2 * mails);
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
