import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../../support/harness.ts';
import { createTenant, login, signUp } from '../../support/people.ts';
import { eventsOf, rowsOf } from '../../support/store.ts';
import { addTotp, totp } from '../../support/totp.ts';

type DataKey = {
  ID: string;
  Kek: string;
  CreatedAt: string;
  SupersededAt?: string;
  UnusedSince?: string;
  Records: number;
};
type Kek = {
  ID: string;
  Current: boolean;
  Available: boolean;
  DataKeys: number;
  Removable: boolean;
};
type Status = {
  KeyEncryptionKeys: Kek[];
  ToRewrap: number;
  ToReplace: number;
  ToReseal: number;
  DataKeys: DataKey[];
};

describeOne('the keys', 'five processes', (topology) => {
  let stack: Stack;
  let ada: Awaited<ReturnType<typeof signUp>>;
  before(async () => {
    // Kept bodies are sealed too, and would change the expected numbers of sealed records.
    stack = await startStack(topology, {
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_DELIVERY_BODY_HOURS: '0',
    });
    ada = await signUp(stack);
  });
  after(() => stack?.stop());

  const platform = (operation: string, body: object) =>
    stack.call(operation, body, stack.platformKey);
  const status = async (body: object = {}) =>
    bodyOf(await platform('Keys_Status', body)) as unknown as Status;

  /** A tenant with two endpoints, whose secrets are sealed. */
  async function sealedTenant(): Promise<string> {
    const tenant = await createTenant(stack, ada.token);
    for (const Name of ['a', 'b'])
      bodyOf(
        await stack.call(
          'Webhooks_CreateEndpoint',
          { Endpoint: { Tenant: tenant, Name, URL: `${stack.inboxUrl}/hooks/${Name}` } },
          ada.token,
        ),
      );
    return tenant;
  }

  test('Keys_Status lists the key encryption keys, and a tenant’s data keys with the number of records they seal', async () => {
    const tenant = await sealedTenant();
    const { KeyEncryptionKeys, ToRewrap, DataKeys } = await status({ Tenant: tenant });
    const { DataKeys: wrapped, ...kek } = KeyEncryptionKeys[0] ?? assert.fail();
    assert.deepEqual(kek, { ID: 'local-1', Current: true, Available: true, Removable: false });
    assert.ok(wrapped >= 1);
    assert.equal(ToRewrap, 0);
    assert.deepEqual(
      DataKeys.map(({ Kek: by, Records, SupersededAt }) => [by, Records, SupersededAt]),
      [['local-1', 2, undefined]],
    );
    assert.deepEqual((await status()).DataKeys, []);
    assert.deepEqual((await status({ Tenant: createId('tnt') })).DataKeys, []);
  });

  test('Keys_Rotate gives a tenant a new data key with the reply, re-seals its records in the background, and publishes an event', async () => {
    const tenant = await sealedTenant();
    const [old] = (await status({ Tenant: tenant })).DataKeys;
    const { DekID } = bodyOf(await platform('Keys_Rotate', { Tenant: tenant })) as {
      DekID: string;
    };
    bodyOf(
      await stack.call(
        'Webhooks_CreateEndpoint',
        { Endpoint: { Tenant: tenant, Name: 'c', URL: `${stack.inboxUrl}/hooks/c` } },
        ada.token,
      ),
    );
    const moved = await eventually(
      'the records to be sealed with the new key',
      async () => {
        const { DataKeys } = await status({ Tenant: tenant });
        return DataKeys[0]?.UnusedSince !== undefined && DataKeys;
      },
      40_000,
    );
    assert.deepEqual(
      moved.map(({ ID, Records }) => [ID, Records]),
      [
        [old?.ID, 0],
        [DekID, 3],
      ],
    );
    const event = (await eventsOf(stack, 'notifications', tenant)).find(
      ({ type }) => type === 'key.rotated',
    );
    assert.deepEqual(event?.data, { DekID, Tenant: tenant });
    assert.deepEqual(event?.previous, { DekID: old?.ID });
    assert.equal(event?.actor.type, 'platform');
    const wrapped = await rowsOf<{ text: string }>(
      stack,
      `select encode(wrapped, 'base64') as text from notifications.dek where tenant = $1`,
      [tenant],
    );
    const outbox = await rowsOf<{ text: string }>(
      stack,
      'select t::text as text from notifications.outbox t',
    );
    for (const { text } of wrapped)
      assert.ok(
        !outbox.some((row) => row.text.includes(text)),
        'no event or audit entry contains a key',
      );
  });

  test('Keys_Rotate without a tenant replaces every data key in the background, and publishes an event for each tenant', async () => {
    const tenants = [await sealedTenant(), await sealedTenant()];
    const { Queued, DekID } = bodyOf(await platform('Keys_Rotate', {})) as {
      Queued: number;
      DekID: string;
    };
    assert.ok(Queued >= 2);
    assert.equal(DekID, '');
    const isReplaced = async () => {
      const { ToReplace, ToReseal } = await status();
      return ToReplace + ToReseal === 0;
    };
    await eventually('all data keys to be replaced', isReplaced, 40_000);
    for (const tenant of tenants) {
      const { DataKeys } = await status({ Tenant: tenant });
      assert.deepEqual(
        DataKeys.map(({ Records }) => Records),
        [0, 2],
      );
      const event = (await eventsOf(stack, 'notifications', tenant)).find(
        ({ type }) => type === 'key.rotated',
      );
      assert.equal(event?.actor.type, 'system');
    }
    const [requested] = (await eventsOf(stack, 'notifications', '')).filter(
      ({ type }) => type === 'key.rotation_requested',
    );
    assert.deepEqual(requested?.data, { Queued });
  });

  test('Keys_Rotate without a tenant re-seals the secrets of authenticator apps, whose codes still work', async () => {
    const { email, token } = await signUp(stack);
    const app = await addTotp(stack, token);
    const sealedWith = async () => {
      const [row] = await rowsOf<{ dek_id: string }>(
        stack,
        'select dek_id from identity.totp_factor where id = $1',
        [app.id],
      );
      return row?.dek_id;
    };
    const old = await sealedWith();
    bodyOf(await platform('Keys_Rotate', {}));
    await eventually(
      'the secret to be sealed with the new key',
      async () => (await sealedWith()) !== old && (await status()).ToReseal === 0,
      40_000,
    );
    const { Challenge } = bodyOf(await login(stack, email));
    bodyOf(await stack.call('Account_CompleteLogin', { Challenge, Totp: totp(app.secret) }));
  });

  test('Keys_Status and Keys_Rotate are open to the platform only, and a tenant without a data key cannot rotate', async () => {
    const tenant = await sealedTenant();
    for (const operation of ['Keys_Status', 'Keys_Rotate'])
      for (const body of [{}, { Tenant: tenant }])
        assertRefused(await stack.call(operation, body, ada.token), 403, 'permission_denied');
    for (const missing of [createId('tnt'), await createTenant(stack, ada.token)])
      assertRefused(await platform('Keys_Rotate', { Tenant: missing }), 400, 'not_found', [
        'data key not found',
      ]);
    assert.equal((await status({ Tenant: tenant })).DataKeys.length, 1);
  });
});
