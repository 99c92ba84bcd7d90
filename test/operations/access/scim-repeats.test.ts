import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOne, eventually } from '../../support/harness.ts';
import { newAddress } from '../../support/people.ts';
import { countOf } from '../../support/store.ts';
import {
  assertScimError,
  type List,
  newDirectory,
  patchOf,
  personOf,
  type Resource,
  type Scim,
  startScim,
  statusOf,
  writesOf,
} from './scim-calls.ts';

// Directories send everything again from time to time.

describeOne('repeated SCIM requests', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  test('a repeated synchronisation writes nothing', async () => {
    const { stack, owner } = suite;
    const { Tenant, address, get, call } = await newDirectory(stack, owner);
    const guest = newAddress('guest');
    const users = Array.from({ length: 12 }, (_, n) => ({
      ...personOf(address(`s${n}`), { externalId: `e${n}` }),
      emails: [{ primary: true, type: 'work', value: n === 0 ? guest : address(`s${n}`) }],
    }));
    const people: Resource[] = [];
    for (const user of users) people.push(await get<Resource>('POST', 'Users', user, 201));
    assert.deepEqual(people.slice(0, 2).map(statusOf), ['invited', 'active']);
    const members = people.map(({ id }) => ({ value: id }));
    const group = await get<Resource>('POST', 'Groups', { displayName: 'All', members }, 201);
    const unnamed = 'access.tenant_member where tenant = $1 and described_at is null';
    await eventually(
      'the names of the members',
      async () => (await countOf(stack, unnamed, [Tenant])) === 0,
    );
    const before = await writesOf(stack, Tenant);
    for (const [n, { id, meta }] of people.entries()) {
      const user = users[n];
      const filter = `userName%20eq%20%22${address(`s${n}`)}%22`;
      assert.equal((await get<List>('GET', `Users?filter=${filter}`)).totalResults, 1);
      const put = await get<Resource>('PUT', `Users/${id}`, user);
      assert.equal(put.meta.version, meta.version);
      await get('PATCH', `Users/${id}`, patchOf({ op: 'Replace', path: 'active', value: 'True' }));
      assertScimError(await call('POST', 'Users', user), 409, 'uniqueness');
    }
    await get('PUT', `Groups/${group.id}`, { displayName: 'All', members });
    for (const people of [members, members.slice(3)])
      assert.equal(
        (
          await call(
            'PATCH',
            `Groups/${group.id}`,
            patchOf({ op: 'Add', path: 'members', value: people }),
          )
        ).status,
        204,
      );
    assert.deepEqual(await writesOf(stack, Tenant), before);
  });
});
