import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { describeOne } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import {
  accountOf,
  groupSchema,
  patchOf,
  type Resource,
  type Scim,
  startScim,
} from './access/scim-calls.ts';

// Names with marks that change the direction of text: stored before requests were refused for them,
// or from a directory.

const marked = 'invoice\u202efdp\r\n\u2067x\u2069';
const clean = 'invoicefdp x';

describeOne('names with direction marks', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  test('a tenant, a group and a user stored with them are read without them and saved again', async () => {
    const { stack, owner, Tenant } = suite;
    const call = (operation: string, body: object) => stack.call(operation, body, owner.token);
    const group = { Tenant, Path: 'old', Name: 'Old', Description: 'Old' };
    bodyOf(await call('Groups_Save', { Group: group }));
    for (const statement of [
      "update access.tenant set name = $2, branding = jsonb_build_object('name', $2::text) where id = $1",
      'update access.group_entry set name = $2, description = $2 where tenant = $1',
    ])
      await rowsOf(stack, statement, [Tenant, marked]);
    await rowsOf(stack, 'update identity.user_account set name = $2 where id = $1', [
      owner.id,
      marked,
    ]);

    const tenant = recordIn(await call('Tenants_Get', { Tenant }), 'Tenant') as {
      ID: string;
      Name: string;
      Branding: { Name: string };
    };
    assert.deepEqual([tenant.Name, tenant.Branding.Name], [clean, clean]);
    const { ID, Name, Branding } = tenant;
    const change = { ID, Name, Branding: { Name: Branding.Name, AccentColor: '#8a1538' } };
    const saved = recordIn(await call('Tenants_Update', { Tenant: change }), 'Tenant') as {
      Branding: object;
    };
    assert.partialDeepStrictEqual(saved.Branding, { Name: clean, AccentColor: '#8a1538' });

    const stored = recordIn(await call('Groups_Get', { Tenant, Path: 'old' }), 'Group') as object;
    assert.partialDeepStrictEqual(stored, { Name: clean });
    bodyOf(await call('Groups_Save', { Group: { ...stored, Metadata: { a: 'b' } } }));
    const changed = recordIn(await call('Groups_Get', { Tenant, Path: 'old' }), 'Group') as object;
    assert.partialDeepStrictEqual(changed, { Name: clean, Metadata: { a: 'b' } });

    const account = bodyOf(await call('Account_Get', {}))['User'] as { Name: string };
    assert.equal(account.Name, clean);
    bodyOf(await call('Account_Update', { User: { Name: account.Name, Locale: 'de' } }));
  });

  test('a request that sends such a name or description is refused', async () => {
    const { stack, owner, Tenant } = suite;
    for (const Group of [
      { Tenant, Path: 'new', Name: marked },
      { Tenant, Path: 'new', Name: 'New', Description: 'a\u202eb' },
    ])
      assertRefused(
        await stack.call('Groups_Save', { Group }, owner.token),
        400,
        'invalid_argument',
      );
  });

  test('a directory is never refused for a name: people and groups lose the marks, and leavers leave', async () => {
    const { stack, owner, Tenant } = suite;
    const person = await suite.create('marked', { displayName: marked });
    const user = () => stack.call('Users_Get', { UserID: accountOf(person) }, owner.token);
    assert.equal((recordIn(await user(), 'User') as { Name: string }).Name, clean);
    const group = await suite.get<Resource>(
      'POST',
      'Groups',
      { schemas: [groupSchema], displayName: marked, members: [{ value: person.id }] },
      201,
    );
    assert.equal(group.displayName, clean);
    const inactive = await suite.patch(person.id, {
      op: 'replace',
      value: { active: false, displayName: '\u202e\u202e', 'name.familyName': marked },
    });
    assert.equal(inactive.active, false);
    const renamed = await suite.call(
      'PATCH',
      `Groups/${group.id}`,
      patchOf({ op: 'replace', path: 'displayName', value: `${marked}2` }),
    );
    assert.ok(renamed.status < 300, JSON.stringify(renamed.body));
    const rows = await rowsOf(
      stack,
      'select name from access.group_entry where tenant = $1 and id = $2',
      [Tenant, group.id],
    );
    assert.deepEqual(rows, [{ name: `${clean}2` }]);
  });
});
