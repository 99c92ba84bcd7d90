import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readList } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import {
  assertScimError,
  patchOf,
  type Resource,
  type Scim,
  startScim,
  writesOf,
} from './scim-calls.ts';

// Groups that several requests change at the same time, or that have changed since a directory read them.

describeOne('concurrent changes of SCIM groups', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  const push = (displayName: string, members: Resource[] = []) =>
    suite.get<Resource>(
      'POST',
      'Groups',
      { displayName, members: members.map(({ id }) => ({ value: id })) },
      201,
    );

  test('If-Match: a change or a deletion of another version answers 412 and changes nothing', async () => {
    const { call, create, get } = suite;
    const person = await create('g-versioned');
    const group = await push('Versioned', [person]);
    const at = `Groups/${group.id}`;
    const rename = (displayName: string, match: string) =>
      call('PATCH', at, patchOf({ op: 'replace', path: 'displayName', value: displayName }), {
        'if-match': match,
      });
    assert.equal((await rename('Versioned 2', group.meta.version)).status, 204);
    const changed = await get<Resource>('GET', at);
    assert.notEqual(changed.meta.version, group.meta.version);
    const before = await writesOf(suite.stack, suite.Tenant);
    const old = { 'if-match': group.meta.version };
    assertScimError(await rename('Versioned 3', group.meta.version), 412);
    assertScimError(await call('PUT', at, { displayName: 'Versioned 3' }, old), 412);
    const removal = patchOf({ op: 'replace', path: 'members', value: [] });
    assertScimError(await call('PATCH', at, removal, old), 412);
    assertScimError(await call('DELETE', at, undefined, old), 412);
    assert.deepEqual(await writesOf(suite.stack, suite.Tenant), before);
    const emptied = await call('PATCH', at, removal, { 'if-match': changed.meta.version });
    assert.equal(emptied.status, 204);
    // A change of members is a new version too.
    assertScimError(await rename('Versioned 3', changed.meta.version), 412);
    assert.equal((await call('DELETE', at, undefined, { 'if-match': '*' })).status, 204);
  });

  test('ten concurrent POSTs of one group make one, and the others answer 409 uniqueness', async () => {
    const { call, find } = suite;
    const body = { displayName: 'Twin' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call('POST', 'Groups', body)),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    for (const answer of answers)
      if (![201, 429].includes(answer.status)) assertScimError(answer, 409, 'uniqueness');
    assertScimError(await call('POST', 'Groups', body), 409, 'uniqueness');
    assert.equal((await find('displayName eq "twin"', 'Groups')).totalResults, 1);
  });

  test('twenty concurrent PATCHes of one group each add their member', async () => {
    const { create, call } = suite;
    const people: Resource[] = [];
    for (let n = 0; n < 20; n += 1) people.push(await create(`crowd-${n}`));
    const group = await push('Crowd');
    const add = async ({ id }: Resource): Promise<void> => {
      const answer = await call(
        'PATCH',
        `Groups/${group.id}`,
        patchOf({ op: 'add', path: 'members', value: [{ value: id }] }),
      );
      if (answer.status === 429 || answer.status === 503) return add({ id } as Resource);
      assert.equal(answer.status, 204, JSON.stringify(answer.body));
    };
    await Promise.all(people.map(add));
    const { stack, owner, Tenant } = suite;
    const which = { Tenant, Group: 'crowd' };
    const members = await readList(stack, 'Groups_ListMembers', which, owner.token);
    assert.equal(members.items.length, 20);
  });

  test('a request names 9,900 members by value, or 6,600 with a second attribute, and more are invalidSyntax', async () => {
    const { call } = suite;
    const ask = (count: number, more: object = {}) => {
      const members = Array.from({ length: count }, (_, n) => ({ value: `scu_${n}`, ...more }));
      return call('POST', 'Groups', { displayName: 'Everyone', members });
    };
    const display = { display: 'x' };
    for (const answer of [await ask(9900), await ask(6600, display)])
      assertScimError(answer, 400, 'invalidValue', /there is no User/);
    for (const answer of [await ask(10_000), await ask(6700, display)])
      assertScimError(answer, 400, 'invalidSyntax', /values/);
  });
});
