import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { parseKeyRing } from '@bailiwick/keys';
import { createPager } from '@bailiwick/pipeline';
import { assertRefused, bodyOf, readList, readPage } from '../../support/answers.ts';
import { createBot } from '../../support/bots.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';
import { type Person, supportCalls } from '../identity/support-calls.ts';

type Tenant = { ID: string; Name: string; Status: string };
type Status = {
  Lanes: Array<{ Lane: string; AgeSeconds: number; Waiting: number }>;
  FailingEndpoints: Array<{ Tenant: string; Endpoint: string; Name: string; Waiting: number }>;
  DeadLetters: number;
};

// An operator of the platform sees the records of all tenants.
describeOne('the views of the platform', 'one process', (topology) => {
  let stack: Stack;
  let reader: Person;
  let owner: Person & { tenant: string };
  const { newOperator, newOwner } = supportCalls(() => stack);
  before(async () => {
    stack = await sharedStack(topology);
    reader = await newOperator('platform-support');
    owner = await newOwner();
  });
  after(() => stack?.stop());

  test('Tenants_List finds tenants by a part of their name or slug, and by status', async () => {
    const name = `Zebra%_${Date.now()}`;
    const change = { Tenant: { ID: owner.tenant, Name: name } };
    bodyOf(await stack.call('Tenants_Update', change, stack.platformKey));
    const find = async (request: object) => {
      const { Page } = bodyOf(await stack.call('Tenants_List', request, reader.token)) as {
        Page: { Items: Tenant[]; NextCursor: string };
      };
      return Page;
    };
    for (const Query of [name, name.toLowerCase(), ` ${name.slice(0, 9)}`])
      assert.deepEqual(
        (await find({ Query })).Items.map(({ ID }) => ID),
        [owner.tenant],
        Query,
      );
    assert.deepEqual((await find({ Query: 'eb' })).Items, []);
    assert.deepEqual((await find({ Query: name.slice(1) })).Items.length, 1);
    assert.deepEqual((await find({ Query: `Zébra${name.slice(5)}` })).Items.length, 1);
    assert.deepEqual((await find({ Query: name, Status: 'suspended' })).Items, []);
    await newOwner();
    const page = await find({ Page: { Limit: 1 } });
    assert.equal(page.Items.length, 1);
    const cursor = { Page: { Cursor: page.NextCursor, Limit: 1 } };
    assert.notEqual((await find(cursor)).Items[0]?.ID, page.Items[0]?.ID);
    // A cursor belongs to its filter.
    const other = await stack.call('Tenants_List', { ...cursor, Query: 'z' }, reader.token);
    assertRefused(other, 400, 'invalid_argument');
    assertRefused(await stack.call('Tenants_List', {}, owner.token), 403, 'permission_denied');
  });

  test('Tenants_List ignores accents, pages through a selection, and reads cursors of the version before', async () => {
    const name = `Élan ${Date.now()}`;
    const owners = [owner, await newOwner()];
    for (const { tenant: ID } of owners) {
      const change = { Tenant: { ID, Name: name } };
      bodyOf(await stack.call('Tenants_Update', change, stack.platformKey));
    }
    const ids = owners.map(({ tenant }) => tenant).sort();
    for (const Query of [name, name.toUpperCase(), name.replace('É', 'e')]) {
      const request = { Query, Status: 'active' };
      const { items } = await readList<Tenant>(stack, 'Tenants_List', request, reader.token, 1);
      assert.deepEqual(
        items.map(({ ID }) => ID),
        ids,
        Query,
      );
    }
    const keys = parseKeyRing(readFileSync(stack.wiring.secrets.keyRingFile, 'utf8'));
    const Cursor = createPager(keys).cursorAt(ids[0] ?? '', ['Tenants_List', '', '']);
    const request = { Page: { Cursor, Limit: 200 } };
    const { Items } = await readPage<Tenant>(stack, 'Tenants_List', request, reader.token);
    assert.ok(Items.some(({ ID }) => ID === ids[1]));
    assert.ok(Items.every(({ ID }) => ID > String(ids[0])));
  });

  test('Access_ListPermissions with Platform lists the caller’s own permissions on the platform, and those of others with the right to read grants', async () => {
    const list = (request: object, token: string) =>
      stack.call('Access_ListPermissions', { Platform: true, ...request }, token);
    const permissionsOf = async (request: object, token: string) =>
      bodyOf(await list(request, token))['Permissions'] as string[];
    assert.deepEqual(await permissionsOf({}, owner.token), []);
    const own = await permissionsOf({}, reader.token);
    assert.ok(own.includes('iam.platform.users.read'));
    assert.deepEqual(await permissionsOf({ Subject: reader.id }, reader.token), own);
    assert.deepEqual(await permissionsOf({ Subject: reader.id }, stack.platformKey), own);
    assert.deepEqual(await permissionsOf({ Subject: owner.id }, reader.token), []);
    assert.ok((await permissionsOf({}, stack.platformKey)).includes('iam.platform.*'));
    const { ID } = await createBot(stack, owner.tenant, owner.token);
    assert.deepEqual(await permissionsOf({ Subject: ID }, stack.platformKey), []);
    assertRefused(await list({ Subject: reader.id }, owner.token), 403, 'permission_denied');
    const both = await list({ Tenant: owner.tenant }, reader.token);
    assertRefused(both, 400, 'invalid_argument', ['Tenant must be empty if Platform is true']);
    const neither = await stack.call('Access_ListPermissions', {}, reader.token);
    assertRefused(neither, 400, 'invalid_argument', ['Tenant is required']);
  });

  test('Queues_Status names each lane, and the endpoints of all tenants that fail', async () => {
    const Url = `${stack.inboxUrl}/hooks/platform-views`;
    const { Endpoint } = bodyOf(
      await stack.call(
        'Webhooks_CreateEndpoint',
        { Endpoint: { Tenant: owner.tenant, Name: 'Broken', URL: Url } },
        owner.token,
      ),
    ) as { Endpoint: { ID: string } };
    await rowsOf(
      stack,
      "insert into notifications.endpoint_health (tenant, endpoint, failing_since) values ($1, $2, now() - interval '9 years')",
      [owner.tenant, Endpoint.ID],
    );
    const status = bodyOf(await stack.call('Queues_Status', {}, reader.token)) as Status;
    assert.deepEqual(
      status.Lanes.map(({ Lane }) => Lane),
      ['webhook', 'chat', 'logout', 'slow', 'replay', 'email'],
    );
    const [first] = status.FailingEndpoints;
    assert.deepEqual(
      [first?.Tenant, first?.Endpoint, first?.Name, first?.Waiting],
      [owner.tenant, Endpoint.ID, 'Broken', 0],
    );
    assertRefused(await stack.call('Queues_Status', {}, owner.token), 403, 'permission_denied');
  });
});
