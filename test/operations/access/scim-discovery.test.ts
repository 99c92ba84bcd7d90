import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOne } from '../../support/harness.ts';
import { assertScimError, type List, type Resource, type Scim, startScim } from './scim-calls.ts';

describeOne('the documents about the SCIM service', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  test('the documents about the service need the key, and list what is supported', async () => {
    const { get, base } = suite;
    const config = await get<Record<string, { supported: boolean }>>(
      'GET',
      'ServiceProviderConfig',
    );
    assert.deepEqual(
      ['patch', 'bulk', 'filter', 'sort', 'etag', 'changePassword'].map(
        (name) => config[name]?.supported,
      ),
      [true, false, true, true, true, false],
    );
    const types = await get<List>('GET', 'ResourceTypes');
    assert.deepEqual(
      types.Resources.map(({ id }) => id),
      ['User', 'Group'],
    );
    const { Resources } = await get<List>('GET', 'Schemas');
    assert.equal(Resources.length, 4);
    for (const { id } of Resources)
      assert.equal((await get<Resource>('GET', `Schemas/${id}`)).id, id);
    assert.equal((await fetch(`${base}/Schemas`)).status, 401);
  });

  test('a document answers 405 to another method than GET, and what is not supported 501', async () => {
    const { call } = suite;
    for (const at of ['ServiceProviderConfig', 'ResourceTypes', 'Schemas', 'Schemas/x'])
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const refused = await call(method, at);
        assertScimError(refused, 405);
        assert.equal(refused.headers.get('allow'), 'GET');
      }
    for (const at of ['.search', 'Bulk', 'Me'])
      assertScimError(await call('POST', at, { schemas: [] }), 501);
  });

  test('/Schemas lists the attributes without the common ones, and the parts of a member as RFC 7643 does', async () => {
    const { Resources } = await suite.get<List>('GET', 'Schemas');
    type AttributeRecord = {
      name: string;
      required: boolean;
      mutability: string;
      referenceTypes?: string[];
    };
    const [user, group] = Resources as Array<
      Resource & { attributes: Array<AttributeRecord & { subAttributes?: AttributeRecord[] }> }
    >;
    assert.ok(!user?.attributes.some(({ name }) => ['id', 'externalId', 'meta'].includes(name)));
    const required = user?.attributes.filter((one) => one.required).map(({ name }) => name);
    assert.deepEqual(required, ['userName', 'emails']);
    const members = group?.attributes.find(({ name }) => name === 'members');
    assert.deepEqual(
      members?.subAttributes?.map((one) => [one.name, one.mutability, one.referenceTypes]),
      [
        ['value', 'immutable', undefined],
        ['$ref', 'immutable', ['User']],
        ['display', 'readOnly', undefined],
        ['type', 'immutable', undefined],
      ],
    );
  });

  test("the tenant's address lists the types of resources", async () => {
    const { base, key, call } = suite;
    for (const address of [base, `${base}/`]) {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await fetch(address, { headers });
      assert.equal(answer.status, 200);
      const { Resources } = (await answer.json()) as List;
      assert.deepEqual(
        Resources.map(({ id }) => id),
        ['User', 'Group'],
      );
      assert.equal((await fetch(address)).status, 401);
    }
    assertScimError(await call('GET', '?filter=id%20pr'), 501);
    assertScimError(await call('POST', '', {}), 501);
  });
});
