import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type NatsConnection } from 'nats';
import { bodyOf } from '../../support/answers.ts';
import { decisionEndings } from '../../support/decision-endings.ts';
import { type Answer, describeOne, type Stack } from '../../support/harness.ts';
import { sharedStack } from '../../support/shared.ts';
import { type Call, idIn, newMember } from '../../support/token-endings.ts';

// The first call that ends a right may still wait for the caches, or its process may be dead. A
// repeated call finds nothing to end, and must not reply before the caches have dropped the right.
describeOne('an ending that is repeated', 'one process', (topology) => {
  let stack: Stack;
  let broker: NatsConnection;
  const revoked = new Set<string>();
  before(async () => {
    stack = await sharedStack(topology);
    broker = await connect({ servers: stack.wiring.natsUrl });
    broker.subscribe('bailiwick.revoke', {
      callback: (_, message) => {
        for (const key of message.json<{ keys: string[] }>().keys) revoked.add(key);
      },
    });
    await broker.flush();
  });
  after(async () => {
    await broker?.close();
    await stack?.stop();
  });

  const call: Call = (operation, body, token = stack.platformKey) =>
    stack.call(operation, body, token);

  /** Asserts that the second of two equal calls makes the caches drop one of the keys. */
  async function assertRevokedAgain(
    end: () => Promise<Answer>,
    keys: readonly string[],
    isReported = false,
  ) {
    bodyOf(await end());
    // access revokes again when it gets the event of the first call: that must not count.
    if (isReported) await sleep(1000);
    await broker.flush();
    for (const key of keys) revoked.delete(key);
    bodyOf(await end());
    await broker.flush();
    assert.ok(
      keys.some((key) => revoked.has(key)),
      `none of ${keys.join(', ')} was revoked`,
    );
  }

  for (const [name, prepare] of Object.entries(decisionEndings))
    test(`${name}: the second call revokes too`, async () => {
      const { check, end, botTenant = check.Tenant } = await prepare(call);
      const kind = check.Subject.startsWith('bot_') ? 'bot' : 'user';
      await assertRevokedAgain(
        end,
        [`${kind}:${check.Subject}`, `tenant:${botTenant}`],
        /^(Users|Bots)_/.test(name),
      );
    });

  test('Grants_Add with an earlier end: the second call revokes too', async () => {
    const { tenant: Tenant, userId: UserID } = await newMember(call);
    const ExpiresAt = new Date(Date.now() + 60_000).toISOString();
    const Grant = { Tenant, UserID, Role: 'admin' };
    bodyOf(await call('Grants_Add', { Grant }));
    await assertRevokedAgain(
      () => call('Grants_Add', { Grant: { ...Grant, ExpiresAt } }),
      [`user:${UserID}`],
    );
  });

  test('Groups_RemoveMember after Groups_Delete revokes too', async () => {
    const { tenant: Tenant, userId: UserID } = await newMember(call);
    await assertRevokedAgain(
      () => call('Groups_RemoveMember', { Tenant, Group: 'eng', UserID }),
      [`user:${UserID}`],
    );
  });

  test('BotKeys_SetExpiration: the second call revokes too', async () => {
    const { tenant: Tenant } = await newMember(call);
    const Bot = idIn(await call('Bots_Save', { Bot: { Tenant, Name: 'deployer' } }), 'Bot');
    const make = async () => idIn(await call('BotKeys_Create', { Tenant, Bot, Name: 'ci' }), 'Key');
    for (const ahead of [-1000, 60_000]) {
      const ID = await make();
      const ExpiresAt = new Date(Date.now() + ahead).toISOString();
      await assertRevokedAgain(
        () => call('BotKeys_SetExpiration', { Tenant, ID, ExpiresAt }),
        [`credential:${ID}`],
      );
    }
  });

  test('Users_RemoveIdentity: the second call revokes too', async () => {
    const { userId: UserID } = await newMember(call);
    await assertRevokedAgain(
      () => call('Users_RemoveIdentity', { UserID, Provider: 'sso_01jd3m0000000000000000000a' }),
      [`user:${UserID}`],
    );
  });
});
