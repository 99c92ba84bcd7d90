import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { createId, createToken, operations } from '@bailiwick/contract';
import { type Receiver, startReceiver, status } from '../../delivery/receiver.ts';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { describeBoth, describeOne } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { countOf } from '../../support/store.ts';
import { exampleOf } from '../identity/support-calls.ts';
import { type Attempt, auditOf, type PortalStage, startPortal } from './portal-calls.ts';

// A link opens one endpoint to the person who runs its receiver, and nothing else of the tenant.

describeBoth('the receivers’ portal', (topology) => {
  let on: PortalStage;
  let receiver: Receiver;
  before(async () => {
    on = await startPortal(topology);
    receiver = await startReceiver();
  });
  after(async () => {
    await on?.stack.stop();
    await receiver?.stop();
  });

  test('a link opens the state, the log, the bodies, a replay, a test and a rotation of its endpoint', async () => {
    const { call, attempted } = on;
    receiver.answer('/orders?key=hidden', status(500));
    const id = await on.endpoint(receiver.url('/orders?key=hidden'));
    const { token, link, portal } = await on.session(id);
    assert.match(link, /^http:\/\/[^#?]+\/portal#bwko_[0-9A-Za-z]{49}$/);
    assert.match(token, /^bwkt_/);
    const message = await on.publish({ Report: 'ready' });
    await attempted(token, message, 'failed');
    const got = bodyOf(await call('Portal_Get', {}, token)) as {
      Endpoint: Record<string, unknown>;
    };
    assert.equal(got.Endpoint['ID'], id);
    assert.equal(got.Endpoint['URL'], receiver.url('/orders?…'));
    assert.ok(got.Endpoint['FailingSince']);
    assert.doesNotMatch(JSON.stringify(got), /hidden|Secret|Dek|Description/);

    const { Message } = bodyOf(await call('Portal_GetMessage', { MessageID: message }, token)) as {
      Message: { Body: string; Attempts: object[] };
    };
    const body = JSON.parse(Buffer.from(Message.Body, 'base64').toString()) as { data: object };
    assert.deepEqual([body.data, Message.Attempts.length], [{ Report: 'ready' }, 2]);

    receiver.answer('/orders?key=hidden', status(200));
    assert.deepEqual(bodyOf(await call('Portal_Resend', { MessageID: message }, token)), {
      Queued: true,
    });
    await attempted(token, message, 'delivered');
    const { Task } = bodyOf(await call('Portal_SendTest', {}, token)) as {
      Task: { Status: string };
    };
    assert.equal(Task.Status, 'delivered');
    const rotated = bodyOf(await call('Portal_RotateSecret', { GraceSeconds: 60 }, token));
    assert.match(String(rotated['Secret']), /^whsec_/);
    assert.ok(rotated['PreviousSecretUntil']);
    assert.deepEqual(Object.keys(rotated).sort(), ['PreviousSecretUntil', 'Secret']);
    for (const action of ['webhook_portal.opened', 'webhook_endpoint.secret_rotated']) {
      const entry = await auditOf(on.stack, on.tenant, action, portal.ID);
      assert.deepEqual([entry.ActorType, entry.ActorID], ['portal', portal.ID]);
    }
  });

  test('Portal_ReplayFailed sends the failed deliveries of its endpoint again, and of no other', async () => {
    for (const path of ['/mine', '/theirs']) receiver.answer(path, status(500));
    const [mine, theirs] = [
      await on.endpoint(receiver.url('/mine')),
      await on.endpoint(receiver.url('/theirs')),
    ];
    const [own, other] = [await on.session(mine), await on.session(theirs)];
    const message = await on.publish({ n: 1 });
    for (const { token } of [own, other]) await on.attempted(token, message, 'failed');
    for (const path of ['/mine', '/theirs']) receiver.answer(path, status(200));
    assert.deepEqual(bodyOf(await on.call('Portal_ReplayFailed', {}, own.token)), { Queued: 1 });
    await on.attempted(own.token, message, 'delivered');
    await on.attempted(other.token, message, 'failed');
    assert.equal(receiver.at('/theirs').length, 2);
  });

  test('no field of a request leads a portal to another endpoint or tenant', async () => {
    receiver.answer('/foreign', status(500));
    const [own, foreign] = [
      await on.endpoint(receiver.url('/own'), { EventTypes: ['nothing.at_all'] }),
      await on.endpoint(receiver.url('/foreign')),
    ];
    const { token } = await on.session(own);
    const other = await on.session(foreign);
    const message = await on.publish({ n: 2 });
    await on.attempted(other.token, message, 'failed');
    const { body } = await on.call('Portal_GetMessage', { MessageID: message }, token);
    assert.deepEqual([body.Code, body.Messages], ['not_found', ['message not found']]);
    assertRefused(await on.call('Portal_Resend', { MessageID: message }, token), 400, 'not_found');
    for (const operation of ['Portal_Get', 'Portal_ListAttempts', 'Portal_RotateSecret'])
      for (const named of [{ Endpoint: foreign }, { ID: foreign }, { Tenant: on.tenant }])
        assertRefused(await on.call(operation, named, token), 400, 'invalid_argument');
    const first = bodyOf(
      await on.call('Portal_ListAttempts', { Page: { Limit: 1 } }, other.token),
    ) as { Page: { Items: Attempt[]; NextCursor: string } };
    assert.equal(first.Page.Items[0]?.Endpoint, foreign);
    const Page = { Limit: 1, Cursor: first.Page.NextCursor };
    assertRefused(await on.call('Portal_ListAttempts', { Page }, token), 400, 'invalid_argument');
    const none = bodyOf(await on.call('Portal_ListAttempts', {}, token)) as {
      Page: { Items: Attempt[] };
    };
    assert.deepEqual(none.Page.Items, []);
  });

  test('Portal_ExplainDelivery explains the own endpoint only, and finds no event that it does not get', async () => {
    receiver.answer('/explained', status(500));
    const [own, foreign] = [
      await on.endpoint(receiver.url('/explained')),
      await on.endpoint(receiver.url('/unexplained'), { EventTypes: ['nothing.at_all'] }),
    ];
    const [{ token }, other] = [await on.session(own), await on.session(foreign)];
    const event = await on.publish({ n: 3 });
    await on.attempted(token, event, 'failed');
    const answer = bodyOf(await on.call('Portal_ExplainDelivery', { Event: event }, token)) as {
      Delivery: { Endpoint: string; State: string; Attempts: Attempt[] };
    };
    assert.equal(answer.Delivery.Endpoint, own);
    assert.equal(answer.Delivery.State, 'failed');
    assert.deepEqual([...new Set(answer.Delivery.Attempts.map(({ Endpoint }) => Endpoint))], [own]);
    assert.equal(JSON.stringify(answer).includes(foreign), false);
    const hidden = await on.call('Portal_ExplainDelivery', { Event: event }, other.token);
    const unknown = await on.call(
      'Portal_ExplainDelivery',
      { Event: createId('evt') },
      other.token,
    );
    assertRefused(hidden, 400, 'not_found');
    assert.deepEqual(hidden.body.Messages, unknown.body.Messages);
    for (const named of [{ Endpoint: foreign }, { Tenant: on.tenant }])
      assertRefused(
        await on.call('Portal_ExplainDelivery', { Event: event, ...named }, token),
        400,
        'invalid_argument',
      );
  });

  test('a link and its session end with the reply to what ends them', async () => {
    const { call, owner, tenant } = on;
    const admin = await signUp(on.stack);
    bodyOf(
      await call('TenantMembers_Add', { Tenant: tenant, UserID: admin.id }, on.stack.platformKey),
    );
    const Grant = { Tenant: tenant, UserID: admin.id, Role: 'admin' };
    const endings: ReadonlyArray<
      readonly [string, (endpoint: string, ID: string) => Promise<unknown>, (() => unknown)?]
    > = [
      [
        'the link is deleted',
        (_, ID) => call('WebhookPortals_Delete', { Tenant: tenant, ID }, owner.token),
      ],
      [
        'the endpoint is deleted',
        (ID) => call('Webhooks_DeleteEndpoint', { Tenant: tenant, ID }, owner.token),
      ],
      ['its creator loses the right', () => call('Grants_Remove', { Grant }, owner.token)],
      [
        'its creator is disabled',
        () => call('Users_Disable', { UserID: admin.id }, on.stack.platformKey),
        () => call('Users_Enable', { UserID: admin.id }, on.stack.platformKey),
      ],
      [
        'its creator leaves the tenant',
        () => call('TenantMembers_Disable', { Tenant: tenant, UserID: admin.id }, owner.token),
        () => call('TenantMembers_Enable', { Tenant: tenant, UserID: admin.id }, owner.token),
      ],
      [
        'the tenant is suspended',
        () => call('Tenants_Suspend', { Tenant: tenant }, on.stack.platformKey),
        () => call('Tenants_Resume', { Tenant: tenant }, on.stack.platformKey),
      ],
    ];
    for (const [title, end, restore] of endings) {
      bodyOf(await call('Grants_Add', { Grant }, owner.token));
      const id = await on.endpoint(receiver.url('/ending'));
      const { token, secret, portal } = await on.session(id, {}, await again(admin.email));
      assert.equal(await on.isOpen(token), true, title);
      await end(id, portal.ID);
      for (const operation of ['Portal_Get', 'Portal_RotateSecret'])
        assertRefused(await call(operation, {}, token), 401, 'unauthenticated');
      assertRefused(await on.open(secret), 400, 'failed_precondition');
      await restore?.();
    }
    assert.equal(
      await countOf(
        on.stack,
        'notifications.webhook_portal p where not exists (select from notifications.webhook_endpoint e where e.id = p.endpoint)',
      ),
      0,
      'a deleted endpoint has no links',
    );
  });

  /** Signs in again: the ending before may have ended the session. */
  const again = async (Email: string) =>
    String(
      bodyOf(await on.call('Account_Login', { Email, Password: 'correct horse battery' }))['Token'],
    );
});

describeOne('sessions of the receivers’ portal', 'one process', (topology) => {
  let on: PortalStage;
  let id: string;
  before(async () => {
    on = await startPortal(topology);
    id = await on.endpoint(`${on.stack.inboxUrl}/hooks/portal`);
  });
  after(() => on?.stack.stop());

  test('a portal session opens only the operations of the portal', async () => {
    const { token } = await on.session(id);
    for (const operation of operations.values()) {
      const { name, credential } = operation;
      if (!operation.public || credential === 'none' || credential === 'portal') continue;
      const answer = await on.call(name, exampleOf(operation), token);
      assertRefused(answer, 403, 'permission_denied');
    }
    for (const path of ['/access/v1/evaluation', '/oauth/userinfo']) {
      const answer = await fetch(on.stack.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      });
      assert.ok([400, 401, 403].includes(answer.status), `${path}: ${answer.status}`);
    }
    const request = { Token: token, Tenant: on.tenant };
    const { Active } = bodyOf(await on.call('Tokens_Introspect', request, on.stack.platformKey));
    assert.equal(Active, false);
    assert.equal(await on.isOpen(token), true, 'none of these calls ended it');
  });

  test('the operations of the portal are closed to every other credential', async () => {
    const portal = [...operations.values()].filter(({ credential }) => credential === 'portal');
    assert.equal(portal.length, 9);
    const { secret } = await on.linkTo(id);
    for (const { name } of portal) {
      const body = {
        ...(/Message|Resend/.test(name) && { MessageID: 'evt_1' }),
        ...(/Explain/.test(name) && { Event: createId('evt') }),
      };
      for (const token of [on.owner.token, on.stack.platformKey, on.stack.workerToken])
        assertRefused(await on.call(name, body, token), 403, 'permission_denied');
      for (const token of [undefined, secret, createToken('portalSession')])
        assertRefused(await on.call(name, body, token), 401, 'unauthenticated');
    }
  });

  test('a session’s token is no cookie, and a cookie is no credential of the portal', async () => {
    const { token } = await on.session(id);
    const other = await on.session(await on.endpoint(`${on.stack.inboxUrl}/hooks/other`));
    const ask = async (operation: string, headers: Record<string, string>) => {
      const response = await fetch(`${on.stack.url}/${operation}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
        body: '{}',
      });
      return { status: response.status, text: await response.text() };
    };
    const cookie = `bailiwick_session=${on.owner.token}`;
    assert.equal((await ask('Portal_Get', { cookie })).status, 403);
    assert.equal((await ask('Account_Get', { cookie })).status, 200);
    const both = { cookie, authorization: `Bearer ${token}` };
    assert.match((await ask('Portal_Get', both)).text, new RegExp(id));
    assert.equal((await ask('Account_Get', both)).status, 403, 'the header decides');
    const mixed = { cookie: `bailiwick_session=${other.token}`, authorization: `Bearer ${token}` };
    assert.match((await ask('Portal_Get', mixed)).text, new RegExp(id));
  });

  test('without an ability its operation is denied, and the denial is in the audit of the tenant', async () => {
    const needs: Record<string, string> = {
      Portal_GetMessage: 'bodies',
      Portal_Resend: 'replay',
      Portal_ReplayFailed: 'replay',
      Portal_SendTest: 'test',
      Portal_RotateSecret: 'rotate',
    };
    const { token, portal } = await on.session(id, { Abilities: [] });
    for (const operation of Object.keys(needs)) {
      const body = /Message|Resend/.test(operation) ? { MessageID: 'evt_1' } : {};
      assertRefused(await on.call(operation, body, token), 403, 'permission_denied');
    }
    for (const operation of ['Portal_Get', 'Portal_ListAttempts'])
      bodyOf(await on.call(operation, {}, token));
    await auditOf(on.stack, on.tenant, 'access.denied', portal.ID);
    for (const ability of ['bodies', 'replay', 'test', 'rotate']) {
      const one = await on.session(id, { Abilities: [ability] });
      for (const [operation, needed] of Object.entries(needs)) {
        const body = /Message|Resend/.test(operation) ? { MessageID: 'evt_1' } : {};
        const { status: code } = await on.call(operation, body, one.token);
        assert.equal(code === 403, needed !== ability, `${operation} with ${ability}: ${code}`);
      }
    }
  });
});
