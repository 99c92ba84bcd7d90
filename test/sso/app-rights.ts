import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import {
  type App,
  type AppCalls,
  type AppSuite,
  callback,
  hashOf,
  type Person,
} from './app-calls.ts';

// Which apps a caller may see and save.

const missing = 'app_01hzzzzzzzzzzzzzzzzzzzzzzz';

/** `suite` is called after the suite has started. */
export function testAppRights(suite: () => AppSuite, calls: AppCalls): void {
  const { newTenant, web, save, saved, read, rotate, hashesOf, keyOf } = calls;
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  before(() => {
    ({ stack, ada, bob } = suite());
  });

  /** A member with a role of these permissions, and nothing else. */
  async function memberWith(Tenant: string, Permissions: string[]): Promise<Person> {
    const person = await signUp(stack);
    const Role = `role-${randomUUID().slice(0, 8)}`;
    const calls: Array<[string, object]> = [
      ['Roles_Save', { Role: { Tenant, Slug: Role, Permissions } }],
      ['Grants_Add', { Grant: { Tenant, UserID: person.id, Role } }],
    ];
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: person.id }, stack.platformKey));
    for (const [operation, body] of calls) bodyOf(await stack.call(operation, body, ada.token));
    return person;
  }

  test('an app is not found from another tenant', async () => {
    const [Tenant, foreign] = await Promise.all([newTenant(), newTenant(bob)]);
    const { App } = await saved(web(Tenant));
    for (const id of [App.ID, missing]) {
      const calls = [
        await read(foreign, id, bob.token),
        await save({ ...web(foreign), ID: id }, {}, bob.token),
        await rotate(foreign, id, {}, bob.token),
        await stack.call('Apps_Get', { ID: id }, stack.platformKey),
        await stack.call('Apps_RotateSecret', { ID: id }, stack.platformKey),
      ];
      for (const answer of calls) assertRefused(answer, 400, 'not_found', ['app not found']);
      bodyOf(await stack.call('Apps_Delete', { Tenant: foreign, ID: id }, bob.token));
      bodyOf(await stack.call('Apps_Delete', { ID: id }, stack.platformKey));
    }
    for (const answer of [
      await read(Tenant, App.ID, bob.token),
      await save({ ...App, Name: 'Mine' }, {}, bob.token),
      await rotate(Tenant, App.ID, {}, bob.token),
      await stack.call('Apps_Delete', { Tenant, ID: App.ID }, bob.token),
    ])
      assertRefused(answer, 403, 'permission_denied');
    assert.deepEqual(recordIn(await read(Tenant, App.ID), 'App'), App);
  });

  test('only the platform saves and reads its apps', async () => {
    const Tenant = await newTenant();
    const draft = { Kind: 'web', Name: 'Console', RedirectURIs: [callback] };
    assertRefused(await save(draft), 400, 'invalid_argument', ['App.Tenant is required']);
    const Scopes = ['openid', '*', 'iam.platform.users.read', 'app.reports.read'];
    const { App, ClientSecret } = await saved({ ...draft, Scopes }, {}, stack.platformKey);
    assert.deepEqual([App.Tenant, App.Scopes, ClientSecret.length], ['', Scopes, 54]);
    for (const operation of ['Apps_Get', 'Apps_Delete', 'Apps_RotateSecret'])
      assertRefused(
        await stack.call(operation, { ID: App.ID }, ada.token),
        400,
        'invalid_argument',
      );
    assertRefused(await read(Tenant, App.ID), 400, 'not_found');
    bodyOf(await stack.call('Apps_Delete', { Tenant, ID: App.ID }, ada.token));
    const { items } = await readList<App>(stack, 'Apps_List', {}, stack.platformKey);
    assert.ok(items.some(({ ID }) => ID === App.ID));
    bodyOf(await stack.call('Apps_Delete', { ID: App.ID }, stack.platformKey));
    assertRefused(
      await stack.call('Apps_Get', { ID: App.ID }, stack.platformKey),
      400,
      'not_found',
    );
  });

  test('a caller saves and rotates only apps whose permissions it holds itself', async () => {
    const Tenant = await newTenant();
    const manager = await memberWith(Tenant, ['iam.apps.*', 'iam.groups.read', 'app.notes.read']);
    const lacking = (permission: string) => [
      `this would grant ${permission}, which the caller does not hold`,
    ];
    const allowed = ['openid', 'offline_access', 'groups', 'iam.groups.read', 'app.notes.read'];
    const own = await saved({ ...web(Tenant), Scopes: allowed }, {}, manager.token);
    for (const scope of ['iam.groups.write', 'iam.groups.*', '*', 'iam.*', 'app.notes.*'])
      for (const target of [web(Tenant), own.App])
        assertRefused(
          await save({ ...target, Scopes: ['openid', scope] }, {}, manager.token),
          403,
          'permission_denied',
          lacking(scope),
        );
    const strong = await saved({ ...web(Tenant), Scopes: ['iam.tenant.delete'] });
    const { ID } = strong.App;
    const change = { Tenant, ID, Name: 'Wiki', RedirectURIs: ['https://evil.example/'] };
    for (const answer of [
      await save(change, {}, manager.token),
      await rotate(Tenant, ID, {}, manager.token),
    ])
      assertRefused(answer, 403, 'permission_denied', lacking('iam.tenant.delete'));
    assert.deepEqual(recordIn(await read(Tenant, ID), 'App'), strong.App);
    assert.deepEqual(await hashesOf(ID), [hashOf(strong.ClientSecret), undefined]);
    const weakened = await saved({ ...change, Scopes: ['openid'] }, {}, manager.token);
    assert.deepEqual(weakened.App.Scopes, ['openid']);
    const narrowed = await keyOf(Tenant, 'owner', ['iam.apps.*']);
    bodyOf(await save({ ...web(Tenant), Scopes: ['openid', 'iam.apps.read'] }, {}, narrowed));
    assertRefused(
      await save({ ...web(Tenant), Scopes: ['iam.groups.read'] }, {}, narrowed),
      403,
      'permission_denied',
      lacking('iam.groups.read'),
    );
  });
}
