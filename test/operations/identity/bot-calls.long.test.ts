import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { forgetRights } from '@bailiwick/deploy/admin.ts';
import { Directory } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { asService, createCallerSigner, createHttpTransport } from '@bailiwick/wire';
import { createClient } from '@connectrpc/connect';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import {
  type Bot,
  type BotKey,
  createBot,
  createKey,
  inDays,
  type NewKey,
} from '../../support/bots.ts';
import { describeBoth, eventually } from '../../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../../support/people.ts';
import { dumpOf, rowsOf, textBelow } from '../../support/store.ts';
import { type BotCalls, startBotCalls } from './bot-key-calls.ts';

// The calls that a bot's key allows.
describeBoth('calls with a bot key', (topology) => {
  let suite: BotCalls;
  before(async () => {
    suite = await startBotCalls(topology);
  });
  after(() => suite?.stop());

  test('a bot does the main job of a platform team, and its signed event arrives with the bot as the actor', async () => {
    const { stack, owner, Tenant, botWith } = suite;
    const { bot, Key, Secret } = await botWith('admin');
    const hook = `bot-${bot.ID}`;
    const created = bodyOf(
      await stack.call(
        'Webhooks_CreateEndpoint',
        { Endpoint: { Name: 'catcher', URL: `${stack.inboxUrl}/hooks/${hook}` } },
        Secret,
      ),
    );
    assert.equal(
      (created['Endpoint'] as { Tenant: string }).Tenant,
      Tenant,
      'an absent tenant means the bot’s tenant',
    );
    const Path = `eng/${bot.ID}`;
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path, Name: 'Backend' } }, Secret));
    bodyOf(await stack.call('Groups_AddMember', { Tenant, Group: Path, UserID: owner.id }, Secret));
    assert.equal(
      (
        recordIn(await stack.call('Users_GetByEmail', { Email: owner.email }, Secret), 'User') as {
          ID: string;
        }
      ).ID,
      owner.id,
    );
    const request = await eventually('group.created at the catcher', async () =>
      (await caughtBy(stack, hook, String(created['Secret']))).find(
        ({ Body }) => JSON.parse(Body).type === 'group.created',
      ),
    );
    assert.equal(request.SignatureValid, true);
    assert.deepEqual(JSON.parse(request.Body).actor, { type: 'bot', id: bot.ID });
    const entry = await eventually('the audit entry', async () => {
      const page = recordIn(
        await stack.call('Audit_List', { Tenant, Page: { Limit: 200 } }, Secret),
        'Page',
      ) as { Items: Array<Record<string, unknown>> };
      return page.Items.find(
        ({ Action, ActorID }) => Action === 'group.member_added' && ActorID === bot.ID,
      );
    });
    assert.deepEqual([entry['ActorType'], entry['CredentialID']], ['bot', Key.ID]);
  });

  test('a bot’s key works in its own tenant only, and for no operation that needs a user', async () => {
    const { stack, botWith } = suite;
    const { Secret } = await botWith('admin');
    const stranger = await signUp(stack);
    const foreign = await createTenant(stack, stranger.token);
    assertRefused(
      await stack.call('Groups_List', { Tenant: foreign }, Secret),
      403,
      'permission_denied',
      ['permission denied'],
    );
    assertRefused(
      await stack.call('Users_GetByEmail', { Email: stranger.email }, Secret),
      400,
      'not_found',
    );
    assertRefused(await stack.call('Account_Get', {}, Secret), 403, 'permission_denied', [
      'this operation requires the session of a user',
    ]);
    assertRefused(
      await stack.call('Tenants_Create', { Tenant: { Name: 'a' } }, Secret),
      403,
      'permission_denied',
    );
  });

  test('a narrowed key has only its own permissions, even where the answer depends on stored data', async () => {
    const { stack, owner, Tenant, botWith, groups } = suite;
    const { bot, Secret } = await botWith('admin', {
      Permissions: ['iam.groups.read', 'iam.tenant.delete'],
    });
    bodyOf(await groups(Secret));
    assertRefused(
      await stack.call('Groups_Save', { Group: { Tenant, Path: 'a' } }, Secret),
      403,
      'permission_denied',
    );
    assertRefused(await stack.call('Bots_List', { Tenant }, Secret), 403, 'permission_denied');
    assertRefused(
      await stack.call('Users_GetByEmail', { Email: owner.email }, Secret),
      403,
      'permission_denied',
    );
    const wide = await createKey(stack, bot, owner.token);
    bodyOf(await stack.call('Users_GetByEmail', { Email: owner.email }, wide.Secret));
  });

  test('a key bound to addresses is no credential from another address, cached or not', async () => {
    const { stack, owner, Tenant, botWith, groups, read } = suite;
    const { Key, Secret } = await botWith('admin', {
      AllowedIPs: ['192.0.2.0/24', '2001:db8:7::/48'],
    });
    const refused = await groups(Secret, '198.51.100.1');
    assertRefused(refused, 401, 'unauthenticated', ['a valid credential is required']);
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    assert.equal(
      (await read<BotKey>('BotKeys_Get', Key.ID, 'Key')).LastUsedAt,
      undefined,
      'a refused call does not count as a use',
    );
    const statuses: number[] = [];
    // All calls run within the time for which the gateway caches the key.
    for (const ip of [
      '192.0.2.9',
      '198.51.100.1',
      '192.0.2.255',
      '192.0.3.0',
      '2001:db8:7::1',
      '2001:db8:8::1',
      '127.0.0.1',
    ]) {
      statuses.push((await groups(Secret, ip)).status);
    }
    assert.deepEqual(statuses, [200, 401, 200, 401, 200, 401, 401]);
    const next = bodyOf(
      await stack.call('BotKeys_Rotate', { Tenant, ID: Key.ID }, owner.token),
    ) as unknown as NewKey;
    assert.deepEqual(
      [(await groups(next.Secret, '192.0.2.9')).status, (await groups(next.Secret)).status],
      [200, 401],
    );
  });

  test('the last use is written for the key and its bot, at most once a minute', async () => {
    const { stack, botWith, groups, read } = suite;
    const { bot, Key, Secret } = await botWith('member');
    const lastUses = async () => [
      (await read<BotKey>('BotKeys_Get', Key.ID, 'Key')).LastUsedAt,
      (await read<Bot>('Bots_Get', bot.ID, 'Bot')).LastUsedAt,
    ];
    /** The gateway looks the key up with the next call. */
    const forget = () => forgetRights({ DATABASE_URL: stack.databaseUrl });
    assert.deepEqual(await lastUses(), [undefined, undefined]);
    bodyOf(await groups(Secret));
    const first = await lastUses();
    for (const time of first) assert.ok(time && Math.abs(Date.parse(time) - Date.now()) < 10_000);
    await forget();
    bodyOf(await groups(Secret));
    assert.deepEqual(await lastUses(), first);
    const older = (table: string, id: string) =>
      rowsOf(
        stack,
        `update identity.${table} set last_used_at = now() - interval '2 minutes' where id = $1`,
        [id],
      );
    await Promise.all([older('bot_key', Key.ID), older('bot', bot.ID)]);
    await forget();
    bodyOf(await groups(Secret));
    for (const time of await lastUses())
      assert.ok(time && Math.abs(Date.parse(time) - Date.now()) < 10_000);
  });

  test('Tokens_Introspect recognizes a live bot key in its tenant and from its addresses', async () => {
    const { stack, Tenant, botWith, expire, read } = suite;
    const { bot, Key, Secret } = await botWith('admin', {
      Permissions: ['app.x.read'],
      AllowedIPs: ['192.0.2.0/24'],
    });
    const asker = await botWith('admin');
    const ask = async (request: object, credential = stack.platformKey) =>
      bodyOf(await stack.call('Tokens_Introspect', { Token: Secret, ...request }, credential));
    const introspection = await ask({ IP: '192.0.2.1' });
    const { ExpiresAt } = Key;
    assert.deepEqual(introspection, {
      Active: true,
      Type: 'bot_key',
      ID: Key.ID,
      UserID: '',
      Bot: bot.ID,
      Tenant,
      Permissions: ['app.x.read'],
      ExpiresAt,
    });
    assert.deepEqual(await ask({ Tenant, IP: '192.0.2.1' }, asker.Secret), introspection);
    const stranger = await signUp(stack);
    const foreign = await createTenant(stack, stranger.token);
    const unknown = {
      Active: false,
      Type: '',
      ID: '',
      UserID: '',
      Bot: '',
      Tenant: '',
      Permissions: [],
    };
    for (const request of [
      {},
      { IP: '198.51.100.1' },
      { IP: 'nonsense' },
      { Tenant: foreign, IP: '192.0.2.1' },
    ])
      assert.deepEqual(await ask(request), unknown);
    assert.equal(
      (await read<BotKey>('BotKeys_Get', Key.ID, 'Key')).LastUsedAt,
      undefined,
      'an introspection does not count as a use',
    );
    bodyOf(await stack.call('Tenants_Suspend', { Tenant }, stack.platformKey));
    assert.deepEqual(await ask({ IP: '192.0.2.1' }), unknown);
    bodyOf(await stack.call('Tenants_Resume', { Tenant }, stack.platformKey));
    assert.deepEqual(await ask({ IP: '192.0.2.1' }), introspection);
    bodyOf(await expire(Key, inDays(-1)));
    assert.deepEqual(await ask({ IP: '192.0.2.1' }), unknown);
  });

  test('Directory_GetBots returns the bots of a tenant to access', async () => {
    const { stack, owner, Tenant } = suite;
    // In one process only Bailiwick's own services can make this call.
    if (topology === 'one process') return;
    const bot = await createBot(stack, Tenant, owner.token);
    const { ports, secrets } = stack.wiring;
    const sign = createCallerSigner(
      'access',
      readFileSync(secrets.callerKeyFile('access'), 'utf8'),
    );
    const transport = createHttpTransport({
      url: `http://127.0.0.1:${ports.identity.rpc}`,
      audience: 'identity',
      sign,
    });
    const directory = createClient(Directory, asService(transport, 'access'));
    const namesOf = async (tenant: string, ids: string[]) =>
      (await directory.getBots({ tenant, ids })).bots.map(({ name }) => name);
    assert.deepEqual(await namesOf(Tenant, [bot.ID, createId('bot')]), ['deployer']);
    assert.deepEqual(await namesOf(createId('tnt'), [bot.ID]), []);
    await transport.close();
  });

  test('secrets of keys are not readable in the database, the logs or the broker', async () => {
    const { stack, owner, Tenant, botWith, groups } = suite;
    const original = await botWith('member');
    const next = bodyOf(
      await stack.call('BotKeys_Rotate', { Tenant, ID: original.Key.ID }, owner.token),
    ) as unknown as NewKey;
    for (const { Secret } of [original, next]) bodyOf(await groups(Secret));
    await eventually('the event in the broker', async () =>
      textBelow(path.join(stack.folder, 'nats')).includes(next.Key.ID),
    );
    const dumps = await Promise.all(
      ['identity', 'access', 'sso', 'notifications'].map((schema) => dumpOf(stack, schema)),
    );
    const places = {
      database: dumps.join('\n'),
      logs: textBelow(path.join(stack.folder, 'logs')),
      broker: textBelow(path.join(stack.folder, 'nats')),
    };
    assert.ok(
      places.database.includes(original.Key.ID) && places.logs.includes('BotKeys_Rotate'),
      'the places are searched',
    );
    for (const [place, text] of Object.entries(places)) {
      for (const { Secret } of [original, next])
        assert.ok(
          !text.includes(Secret) && !text.includes(Secret.slice(8, 40)),
          `the ${place} contains a secret`,
        );
    }
  });
});
