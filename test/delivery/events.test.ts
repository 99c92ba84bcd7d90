import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { types } from '@bailiwick/notifications/events/catalogue.ts';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { doMainJob } from '../main-job.ts';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { type DnsServer, startDns } from '../support/dns-server.ts';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { makeEndpoint, newestAt, type Owner } from './endpoints.ts';
import { changeEverything } from './every-event.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type EventType = { Type: string; Description: string; Schema: string; Example: string };
type Event = { id: string; type: string; tenant: string; actor: object; data: object };

describeOne('events', 'one process', (topology) => {
  let stack: Stack;
  let dns: DnsServer;
  let owner: Owner;
  let listed: EventType[];
  before(async () => {
    dns = await startDns();
    stack = await startStack(topology, { BAILIWICK_DNS_RESOLVERS: dns.address });
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
    listed = bodyOf(await stack.call('Webhooks_ListEventTypes', {}, token))[
      'EventTypes'
    ] as EventType[];
  });
  after(async () => {
    await stack?.stop();
    await dns?.stop();
  });

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
    await changeEverything(owner, dns);
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
    const published = new Set(events.map(({ type }) => type));
    const unseen = [...schemas.keys()].filter((type) => !published.has(type));
    // Types that need time to pass, a failing receiver or a directory.
    assert.deepEqual(unseen.sort(), [
      'bot_key.expired',
      'bot_key.expiring',
      'chat_endpoint.disabled',
      'chat_endpoint.failing',
      'domain.lapsed',
      'endpoint.ping',
      'invitation.expired',
      'sso.certificate_announced',
      'sso.certificate_expiring',
      'sso.certificates_changed',
      'tenant.holder_ended',
      'tenant.owner_kept',
      'webhook_endpoint.disabled',
      'webhook_endpoint.failing',
    ]);
  });

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

function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, closed(one)]));
  return 'properties' in schema && typeof schema['properties'] === 'object'
    ? { additionalProperties: false, ...inner }
    : inner;
}
