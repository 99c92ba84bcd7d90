import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBroker } from '@bailiwick/broker';
import { createId } from '@bailiwick/contract';
import { createLog } from '@bailiwick/process';
import { bodyOf, recordIn } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { ownerOf } from '../../support/broker.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { inviter } from '../../support/invitations.ts';
import {
  createTenant,
  type Mail,
  mailsTo,
  mailTo,
  newAddress,
  password,
  signUp,
  tokenIn,
} from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { eventsOf, rowsOf } from '../../support/store.ts';

// The recipients and the language of each mail.

describeOne('mails', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  const speak = async (token: string, Locale: string) =>
    void bodyOf(await stack.call('Account_Update', { User: { Locale } }, token));
  const mailWith = (address: string, subject: string): Promise<Mail> =>
    eventually(`“${subject}” to ${address}`, async () =>
      (await mailsTo(stack, address)).find(({ Subject }) => Subject === subject),
    );

  test('a user is mailed in the language of the profile', async () => {
    const { email, token } = await signUp(stack);
    await speak(token, 'de-CH');
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: email }));
    const reset = await mailWith(email, 'Setzen Sie Ihr Passwort zurück');
    assert.ok(reset.Text.includes(`das Passwort des Kontos ${email} bei Bailiwick`));
    bodyOf(
      await stack.call('Account_ResetPassword', {
        Token: tokenIn(reset),
        Password: 'another battery staple',
      }),
    );
    const notice = await mailWith(email, 'Ihr Passwort wurde geändert');
    assert.deepEqual(notice.Links, [], 'a link without a page is left out');
    bodyOf(await stack.call('Account_Register', { Email: email, Password: password }));
    await mailWith(email, 'Sie haben bereits ein Konto');
  });

  test('Account_ChangeEmail has its own text, and notifies the old address in the same language', async () => {
    const { email, token } = await signUp(stack);
    await speak(token, 'pt');
    const next = newAddress('next');
    bodyOf(await stack.call('Account_ChangeEmail', { Email: next, Password: password }, token));
    const mail = await mailWith(next, 'Confirme seu novo endereço de e-mail');
    bodyOf(await stack.call('Account_Verify', { Token: tokenIn(mail) }));
    await mailWith(email, 'Seu endereço de e-mail foi alterado');
  });

  test('TenantInvitations_Create mails a stranger in the inviter’s language, and a user in their own', async () => {
    const ada = await signUp(stack);
    await speak(ada.token, 'fr');
    const Tenant = await createTenant(stack, ada.token, 'Acme');
    const bob = await signUp(stack);
    await speak(bob.token, 'ja-JP');
    const stranger = newAddress('stranger');
    for (const email of [stranger, bob.email])
      await inviter(stack).invite(Tenant, email, ada.token);
    assert.ok(
      (await mailWith(stranger, 'Vous avez reçu une invitation')).Text.includes(
        'rejoindre Acme sur Bailiwick',
      ),
    );
    assert.ok((await mailWith(bob.email, '招待のお知らせ')).Text.includes('Acme への招待'));
  });

  /** A tenant with two owners, an administrator and a disabled owner. */
  async function owned() {
    const [ada, bob, clerk, formerOwner] = await Promise.all(
      ['ada', 'bob', 'clerk', 'gone'].map((name) => signUp(stack, newAddress(name))),
    );
    assert.ok(ada && bob && clerk && formerOwner);
    await speak(bob.token, 'es');
    const Tenant = await createTenant(stack, ada.token, 'Acme');
    for (const [{ id }, Role] of [
      [bob, 'owner'],
      [clerk, 'admin'],
      [formerOwner, 'owner'],
    ] as const) {
      bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: id }, stack.platformKey));
      bodyOf(
        await stack.call('Grants_Add', { Grant: { Tenant, UserID: id, Role } }, stack.platformKey),
      );
    }
    bodyOf(await stack.call('Users_Disable', { UserID: formerOwner.id }, stack.platformKey));
    return { Tenant, ada, bob, others: [clerk.email, formerOwner.email] };
  }

  async function assertNotNotified(addresses: readonly string[]): Promise<void> {
    for (const address of addresses)
      assert.deepEqual(
        (await mailsTo(stack, address))
          .map(({ Subject }) => Subject)
          .filter((subject) => subject !== 'You were made an owner'),
        ['Confirm your e-mail address'],
      );
  }

  test('the owners of a tenant, and no other members, are mailed once about a disabled endpoint', async () => {
    const { Tenant, ada, bob, others } = await owned();
    const URL = `${stack.inboxUrl}/hooks/retired?status=410`;
    const Endpoint = {
      Tenant,
      Name: 'billing www.shop.example',
      URL,
      EventTypes: ['group.created'],
    };
    bodyOf(await stack.call('Webhooks_CreateEndpoint', { Endpoint }, ada.token));
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'one' } }, ada.token));
    const notice = await mailWith(ada.email, 'An endpoint was switched off');
    assert.ok(
      notice.Text.includes('The endpoint “billing www shop example” of Acme was switched off'),
      notice.Text,
    );
    assert.ok(!notice.Text.includes('hooks/retired') && !notice.Html.includes('hooks/retired'));
    assert.ok(
      (await mailWith(bob.email, 'Se ha desactivado un punto de conexión')).Text.includes(
        'titular de Acme en Bailiwick',
      ),
    );

    // The same event again, as from a broker that has lost its acknowledgements.
    const event = (await eventsOf(stack, 'notifications', Tenant)).find(
      ({ type }) => type === 'webhook_endpoint.disabled',
    );
    const [row] = await rowsOf<{ event: string; audit: string }>(
      stack,
      'select event, audit from notifications.outbox where id = $1',
      [event?.id],
    );
    await publish(`evt.${Tenant}.webhook_endpoint.disabled`, {
      event: row?.event ?? '',
      audit: JSON.parse(row?.audit ?? '') as object,
    });
    // The events of a family are handled in order: once this one is handled, the repeated one was
    // handled too.
    await publish(`evt.${Tenant}.webhook_endpoint.failing`, {
      event: JSON.stringify({ ...event, id: createId('evt'), type: 'webhook_endpoint.failing' }),
      audit: JSON.parse(row?.audit ?? '') as object,
    });
    await mailWith(ada.email, 'Deliveries to an endpoint are failing');
    await mailWith(bob.email, 'Fallan los envíos a un punto de conexión');
    await sleep(300);
    assert.equal(
      (await mailsTo(stack, ada.email)).filter(({ Subject }) => Subject === notice.Subject).length,
      1,
    );
    await assertNotNotified(others);
  });

  test('the owners of a tenant are mailed about a disabled chat endpoint', async () => {
    const { Tenant, ada, others } = await owned();
    const event = {
      id: createId('evt'),
      type: 'chat_endpoint.disabled',
      tenant: Tenant,
      data: { ID: createId('slk'), Tenant, Name: '' },
    };
    const [row] = await rowsOf<{ audit: string }>(
      stack,
      'select audit from access.outbox where for_tenant = $1 limit 1',
      [Tenant],
    );
    await publish(`evt.${Tenant}.chat_endpoint.disabled`, {
      event: JSON.stringify(event),
      audit: JSON.parse(row?.audit ?? '') as object,
    });
    const notice = await mailWith(ada.email, 'An endpoint was switched off');
    assert.ok(
      notice.Text.includes(`“${event.data.ID}”`),
      'the mail names an unnamed endpoint by its ID',
    );
    await assertNotNotified(others);
  });

  test('the owners of a tenant are mailed about a bot’s key that expires soon', async () => {
    const { Tenant, ada, bob, others } = await owned();
    const bot = await createBot(stack, Tenant, ada.token);
    const { Key, Secret } = await createKey(stack, bot, ada.token, { Name: 'nightly build' });
    await rowsOf(
      stack,
      `update identity.bot_key set expires_at = '2099-03-01T12:00:00Z', notice_at = now() where id = $1`,
      [Key.ID],
    );
    const notice = await mailWith(ada.email, 'A bot’s key is about to expire');
    assert.ok(
      notice.Text.includes(
        'The key “nightly build” of a bot of Acme expires on March 1, 2099 (UTC).',
      ),
      notice.Text,
    );
    assert.ok(
      (await mailWith(bob.email, 'La clave de un bot está a punto de caducar')).Text.includes(
        'caduca el 1 de marzo de 2099 (UTC)',
      ),
    );
    for (const part of [notice.Text, notice.Html])
      assert.ok(!part.includes(Secret) && !part.includes(Key.Last4));
    await assertNotNotified(others);
  });

  test('Account_Task_SendNotice sends the kinds of notice that need no further data', async () => {
    const Email = newAddress('direct');
    bodyOf(
      await stack.call(
        'Account_Task_SendNotice',
        { Email, Kind: 'account_linked' },
        stack.workerToken,
      ),
    );
    assert.ok((await mailTo(stack, Email)).Text.includes('the single sign-on of an organisation'));
    assert.equal(
      (
        await stack.call(
          'Account_Task_SendNotice',
          { Email, Kind: 'key_expiring' },
          stack.workerToken,
        )
      ).status,
      400,
    );
    assert.equal(
      (await stack.call('Account_Task_SendNotice', { Email, Kind: 'reset' }, stack.workerToken))
        .status,
      400,
    );
  });

  test('Mail_GetSuppression and Mail_DeleteSuppression are open to the platform only', async () => {
    const { email, token } = await signUp(stack);
    for (const operation of ['Mail_GetSuppression', 'Mail_DeleteSuppression'])
      assert.equal((await stack.call(operation, { Email: email }, token)).status, 403);
    assert.deepEqual(
      recordIn(
        await stack.call('Mail_DeleteSuppression', { Email: email }, stack.platformKey),
        'Suppression',
      ),
      undefined,
    );
  });

  /** Publishes a message to the event stream, as a relay does. */
  async function publish(subject: string, message: object): Promise<void> {
    const broker = openBroker({
      url: stack.wiring.natsUrl,
      name: 'test',
      log: createLog('test', () => {}),
    });
    broker.claim(await ownerOf(stack));
    await eventually('the broker', () => Promise.resolve(broker.isConnected()));
    await broker.publish(subject, JSON.stringify(message), createId('evt'));
    await broker.close();
  }
});
