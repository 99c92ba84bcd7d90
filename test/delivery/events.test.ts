import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { globSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { isOwnFamily, types } from '@bailiwick/notifications/events/catalogue.ts';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import ts from 'typescript';
import { doMainJob } from '../main-job.ts';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { createBot, createKey, inDays } from '../support/bots.ts';
import { type DnsServer, startDns } from '../support/dns-server.ts';
import { claim, own } from '../support/domains.ts';
import { describeBoth, eventually, type Stack, startStack } from '../support/harness.ts';
import { nodesIn, root } from '../support/parsing.ts';
import { caughtBy, createTenant, newAddress, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { makeEndpoint, newestAt, type Owner } from './endpoints.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Listed = { Type: string; Description: string; Schema: string; Example: string };
type Event = { id: string; type: string; tenant: string; actor: object; data: object };

/** Audited actions that are not events. */
const auditOnly = [
  'access.denied',
  'audit.exported',
  'chat_endpoint.replayed',
  'chat_endpoint.tested',
  'mail_suppression.created',
  'mail_suppression.deleted',
  'user.email_change_requested',
  'user.identity_confirmed',
  'user.identity_linked',
  'user.identity_removed',
  'user.password_reset_requested',
  'user.registration_repeated',
  'user.sign_in_failed',
  'user.verification_resent',
  'webhook_endpoint.replayed',
  'webhook_endpoint.tested',
];
/** Types that the code composes of two strings, so the search cannot find them. */
const composed = ['grant', 'group_grant', 'bot_grant'].flatMap((name) => [
  `${name}.added`,
  `${name}.removed`,
]);
/** A type that is sent to one endpoint and not recorded as a change. */
const unrecorded = ['endpoint.ping'];

test('the event catalogue lists exactly the event types that the services use', () => {
  const files = globSync(['services/**/*.ts', 'packages/**/*.ts'], {
    cwd: root,
    exclude: (name) => /node_modules|[/]gen$|[.]test[.]ts$/.test(name),
  });
  assert.ok(files.length > 100);
  const texts = files
    .filter((file) => !file.endsWith('events/catalogue.ts') && !file.endsWith('queries.ts'))
    .flatMap((file) => nodesIn(file).filter(ts.isStringLiteralLike))
    .map(({ text }) => text);
  const found = [...new Set(texts)].filter(
    (text) => /^[a-z_]+[.][a-z_]+$/.test(text) && isOwnFamily(text),
  );
  assert.deepEqual(
    found.filter((type) => !types.has(type) && !auditOnly.includes(type)).sort(),
    [],
  );
  assert.deepEqual(
    [...types.keys()].filter((type) => !found.includes(type) && !composed.includes(type)).sort(),
    [],
  );
  assert.deepEqual(
    [...auditOnly, ...unrecorded].filter((type) => !found.includes(type)),
    [],
  );
});

describeBoth('events', (topology) => {
  let stack: Stack;
  let dns: DnsServer;
  let owner: Owner;
  let listed: Listed[];
  before(async () => {
    dns = await startDns();
    stack = await startStack(topology, { BAILIWICK_DNS_RESOLVERS: dns.address });
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
    listed = bodyOf(await stack.call('Webhooks_ListEventTypes', {}, token))[
      'EventTypes'
    ] as Listed[];
  });
  after(async () => {
    await stack?.stop();
    await dns?.stop();
  });
  const ask = async (operation: string, request: object) =>
    bodyOf(await stack.call(operation, request, owner.token));

  test('Webhooks_ListEventTypes lists all subscribable types, and each example matches its schema', () => {
    const reaching = [...types.values()]
      .filter(({ reach }) => reach !== 'none')
      .map(({ type }) => type);
    assert.deepEqual(
      listed.map(({ Type }) => Type),
      reaching.sort(),
    );
    for (const { Type, Description, Schema, Example } of listed) {
      assert.match(Description, /^[A-Z].+[.]$/, Type);
      const validate = compile(Schema);
      assert.ok(validate(JSON.parse(Example)), `${Type}: ${JSON.stringify(validate.errors)}`);
      assert.ok(!validate({ ...JSON.parse(Example), type: 'group.other' }), Type);
    }
  });

  test('every published event matches its schema, without extra fields', async () => {
    await doMainJob(stack);
    await changeEverything();
    const outboxes = ['identity', 'access', 'sso', 'notifications'].map(
      (schema) => `select event from ${schema}.outbox where event is not null`,
    );
    const events = (await rowsOf<{ event: string }>(stack, outboxes.join(' union all '))).map(
      ({ event }) => JSON.parse(event) as Event,
    );
    const schemas = new Map(listed.map(({ Type, Schema }) => [Type, compile(Schema)]));
    for (const event of events) {
      if (types.get(event.type)?.reach === 'none') continue;
      const validate = schemas.get(event.type);
      assert.ok(validate, `${event.type} is listed`);
      assert.ok(
        validate(event),
        `${event.type}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(event)}`,
      );
    }
    const seen = new Set(events.map(({ type }) => type));
    const unseen = [...schemas.keys()].filter((type) => !seen.has(type));
    // Types that need time to pass or a failing receiver.
    assert.deepEqual(unseen.sort(), [
      'bot_key.expired',
      'bot_key.expiring',
      'chat_endpoint.disabled',
      'chat_endpoint.failing',
      'domain.lapsed',
      'endpoint.ping',
      'invitation.expired',
      'webhook_endpoint.disabled',
      'webhook_endpoint.failing',
    ]);
  });

  /** Causes every type of event once. */
  async function changeEverything(): Promise<void> {
    const { tenant: Tenant } = owner;
    const [guest, other] = [await signUp(stack), await signUp(stack)];
    for (const { email } of [guest, other])
      await ask('TenantInvitations_Create', { Tenant, Email: email });
    const invited = async (token: string, email: string) => {
      const tokens = JSON.stringify(
        await (await fetch(`${stack.inboxUrl}/messages?to=${encodeURIComponent(email)}`)).json(),
      );
      return (
        /bwki_[0-9A-Za-z]{49}/.exec(tokens)?.[0] !== undefined && {
          token,
          invitation: String(/bwki_[0-9A-Za-z]{49}/.exec(tokens)?.[0]),
        }
      );
    };
    const [joins, declines] = [
      await eventually('a mail', () => invited(guest.token, guest.email)),
      await eventually('a mail', () => invited(other.token, other.email)),
    ];
    bodyOf(await stack.call('TenantInvitations_Accept', { Token: joins.invitation }, joins.token));
    bodyOf(await stack.call('TenantInvitations_Decline', { Token: declines.invitation }));
    const Email = newAddress('revoked');
    await ask('TenantInvitations_Create', { Tenant, Email });
    await ask('TenantInvitations_Delete', { Tenant, Email });
    await ask('Tenants_Update', { Tenant: { ID: Tenant, Name: 'Renamed' } });
    for (const Name of ['a', 'b'])
      await ask('Groups_Save', { Group: { Tenant, Path: 'eng', Name } });
    for (const Name of ['a', 'b'])
      await ask('Roles_Save', { Role: { Tenant, Slug: 'some', Name, Permissions: ['app.read'] } });
    for (const verb of ['AddMember', 'RemoveMember'])
      await ask(`Groups_${verb}`, { Tenant, Group: 'eng', UserID: guest.id });
    const bot = await createBot(stack, Tenant, owner.token);
    await ask('Bots_Save', { Bot: { ID: bot.ID, Tenant, Name: 'renamed' } });
    const grants = {
      Grants: { UserID: guest.id },
      GroupGrants: { Group: 'eng' },
      BotGrants: { Bot: bot.ID },
    };
    for (const verb of ['Add', 'Remove'])
      for (const [area, subject] of Object.entries(grants))
        await ask(`${area}_${verb}`, { Grant: { Tenant, Role: 'some', ...subject } });
    const { Key } = await createKey(stack, bot, owner.token);
    await ask('BotKeys_SetExpiration', { Tenant, ID: Key.ID, ExpiresAt: inDays(10) });
    await ask('BotKeys_Rotate', { Tenant, ID: Key.ID });
    await ask('Bots_Delete', { Tenant, ID: bot.ID });
    const endpoint = await makeEndpoint(owner, 'changed');
    await ask('Webhooks_UpdateEndpoint', {
      Endpoint: {
        ID: endpoint.id,
        Tenant,
        Name: 'renamed',
        URL: `${stack.inboxUrl}/hooks/changed`,
      },
    });
    await ask('Webhooks_RotateSecret', { Tenant, ID: endpoint.id });
    await ask('Webhooks_DeleteEndpoint', { Tenant, ID: endpoint.id });
    const chat = bodyOf(
      await stack.call(
        'Chat_CreateEndpoint',
        { Endpoint: { Tenant, Name: 'chat' }, URL: `${stack.inboxUrl}/hooks/chat` },
        owner.token,
      ),
    )['Endpoint'] as { ID: string };
    await ask('Chat_UpdateEndpoint', { Endpoint: { ID: chat.ID, Tenant, Name: 'renamed' } });
    await ask('Chat_DeleteEndpoint', { Tenant, ID: chat.ID });
    const [domain, unproved] = [
      await own(stack, dns, Tenant, owner.token),
      await claim(stack, Tenant, owner.token),
    ];
    await ask('Domain_Verify', { Tenant, ID: unproved.ID });
    const provider = {
      Tenant,
      Kind: 'oidc',
      Name: 'Staff',
      Issuer: `${stack.inboxUrl}/hooks/no-provider`,
      ClientID: 'a',
      TokenAuthMethod: 'none',
    };
    const { ID } = recordIn(
      await stack.call('Sso_SaveProvider', { Provider: provider }, owner.token),
      'Provider',
    ) as { ID: string };
    await ask('Sso_SaveProvider', { Provider: { Tenant, ID, Name: 'Renamed' } });
    assert.equal((await fetch(`${stack.url}/auth/${Tenant}/${ID}/login`)).status, 403);
    await ask('Domain_Update', { Tenant, ID: domain.ID, Capture: 'require_sso' });
    await ask('Domain_Delete', { Tenant, ID: domain.ID });
    await ask('Sso_DeleteProvider', { Tenant, ID });
    for (const Minutes of [1, 0])
      bodyOf(await stack.call('Sso_LiftRequirement', { Tenant, Minutes }, stack.platformKey));
    await ask('Groups_Delete', { Tenant, Path: 'eng' });
    await ask('Roles_Delete', { Tenant, Slug: 'some' });
    bodyOf(await stack.call('Account_Update', { User: { GivenName: 'Ada' } }, guest.token));
    bodyOf(
      await stack.call(
        'Account_ChangePassword',
        { Current: 'correct horse battery', Password: 'staple the next horse' },
        other.token,
      ),
    );
    for (const verb of ['Disable', 'Enable', 'Delete'])
      bodyOf(await stack.call(`Users_${verb}`, { UserID: other.id }, stack.platformKey));
    for (const verb of ['Disable', 'Enable', 'Remove'])
      await ask(`TenantMembers_${verb}`, { Tenant, UserID: guest.id });
    const [declining, waiting] = [await signUp(stack), await signUp(stack)];
    for (const { id } of [declining, waiting])
      await ask('TenantMembers_Add', { Tenant, UserID: id });
    bodyOf(await stack.call('TenantMembers_Decline', { Tenant }, declining.token));
    await ask('TenantMembers_Remove', { Tenant, UserID: waiting.id });
    const spare = await createTenant(stack, owner.token);
    await ask('Tenants_Delete', { Tenant: spare });
  }

  const publish = (more: object) =>
    stack.call(
      'Events_Publish',
      {
        Tenant: owner.tenant,
        Type: 'report.finished',
        Body: Buffer.from('{}').toString('base64'),
        ...more,
      },
      owner.token,
    );

  test('Events_Publish delivers an application’s event in the usual envelope, with its body byte for byte', async () => {
    const { secret } = await makeEndpoint(owner, 'reports', { EventTypes: ['report.*'] });
    const text = '{ "n": 9007199254740993, "x": 1.10, "é": "\\ud83e", "a":1,"a":2 }';
    const id = String(bodyOf(await publish({ Body: Buffer.from(text).toString('base64') }))['ID']);
    assert.match(id, /^evt_/);
    await eventually('the event', async () => (await caughtBy(stack, 'reports')).length > 0);
    const request = await newestAt(stack, 'reports', secret);
    assert.ok(request.SignatureValid && request.StandardWebhooksValid);
    assert.equal(request.Headers['webhook-id'], id);
    assert.ok(request.Body.includes(`"data":${text},"previous":{}}`), request.Body);
    const { type, tenant, actor } = JSON.parse(request.Body) as Event;
    assert.deepEqual(
      [type, tenant, Object.values(actor)[0]],
      ['report.finished', owner.tenant, 'user'],
    );
    const entry = await eventually('the audit entry', async () => {
      const page = recordIn(
        await stack.call(
          'Audit_List',
          { Tenant: owner.tenant, Filter: { Actions: ['report.finished'] } },
          owner.token,
        ),
        'Page',
      );
      return (page as { Items: Array<{ Operation: string }> }).Items[0];
    });
    assert.equal(entry.Operation, 'Events_Publish');
    assert.ok(!JSON.stringify(entry).includes('9007199254740993'));
  });

  test('Events_Publish does not validate an Email in an application’s event', async () => {
    await makeEndpoint(owner, 'letters', { EventTypes: ['letter.*'] });
    const ids: string[] = [];
    for (const Email of ['Ada <ada@example.com>', '@ada', 'a, b@c d'])
      ids.push(
        String(
          bodyOf(
            await publish({
              Type: 'letter.sent',
              Body: Buffer.from(JSON.stringify({ Email })).toString('base64'),
            }),
          )['ID'],
        ),
      );
    const caught = await eventually('the events', async () => {
      const all = await caughtBy(stack, 'letters');
      return all.length >= ids.length && all;
    });
    assert.deepEqual(caught.map(({ Headers }) => String(Headers['webhook-id'])).sort(), ids.sort());
  });

  test('Events_Publish with the same ID, called at once or within ten minutes, publishes once per tenant', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => publish({ ID: 'report-1' })));
    const ids = new Set(answers.map((answer) => String(bodyOf(answer)['ID'])));
    assert.equal(ids.size, 1);
    assert.notEqual(bodyOf(await publish({ ID: 'report-2' }))['ID'], [...ids][0]);
    assert.notEqual(bodyOf(await publish({}))['ID'], bodyOf(await publish({}))['ID']);
    const elsewhere = await createTenant(stack, owner.token);
    assert.ok(!ids.has(String(bodyOf(await publish({ Tenant: elsewhere, ID: 'report-1' }))['ID'])));
    const count = `select count(*)::int as n from notifications.outbox where type = 'report.finished' and for_tenant = $1 and audit like '%"report-1"%'`;
    assert.deepEqual(await rowsOf(stack, count, [owner.tenant]), [{ n: 1 }]);
    await rowsOf(
      stack,
      `update notifications.published_event set published_at = now() - interval '10 minutes' where id like '% report-1'`,
    );
    assert.ok(!ids.has(String(bodyOf(await publish({ ID: 'report-1' }))['ID'])));
  });

  test('Events_Publish rejects reserved event types and a body that is not a JSON object', async () => {
    const families = [...new Set([...types.keys()].map((type) => type.split('.')[0] ?? ''))];
    for (const Type of [
      ...families.map((name) => `${name}.imagined`),
      ...'access audit chat_endpoint domain key mail_suppression sso sso_provider user'.split(' '),
      'Report.finished',
      'a..b',
      '',
    ])
      assertRefused(await publish({ Type }), 400, 'invalid_argument');
    for (const Type of ['users.imported', 'grants', 'my.user.created'])
      bodyOf(await publish({ Type }));
    for (const body of [
      '[]',
      '1',
      'null',
      '{',
      '\ufeff{}',
      '{}{}',
      '"\ud800"',
      ' '.repeat(65_536) + '{}',
    ]) {
      assertRefused(
        await publish({ Body: Buffer.from(body).toString('base64') }),
        400,
        'invalid_argument',
      );
    }
    assertRefused(
      await publish({ Body: Buffer.from([123, 34, 255, 34, 58, 49, 125]).toString('base64') }),
      400,
      'invalid_argument',
    );
    assertRefused(await publish({ ID: 'a b' }), 400, 'invalid_argument');
    const full = `{"text":"${'x'.repeat(65_536 - 11)}"}`;
    bodyOf(await publish({ Body: Buffer.from(full).toString('base64') }));
    const stranger = await signUp(stack);
    const request = { Tenant: owner.tenant, Type: 'report.finished', Body: 'e30=' };
    assertRefused(
      await stack.call('Events_Publish', request, stranger.token),
      403,
      'permission_denied',
    );
  });
});

/** A validator that rejects fields which the schema does not name. */
function compile(schema: string) {
  const ajv = new Ajv({ allErrors: true, strict: false });
  formats.default(ajv);
  return ajv.compile(closed(JSON.parse(schema) as Json) as object);
}

function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  return 'properties' in value && typeof value['properties'] === 'object'
    ? { additionalProperties: false, ...inner }
    : inner;
}
