import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { createTenant } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import { type Decisions, startDecisions } from './access-calls.ts';

// The search for subjects of the OpenID AuthZEN Authorization API 1.0.

describeOne('the search of AuthZEN for subjects', 'one process', (topology) => {
  let suite: Decisions;
  before(async () => {
    suite = await startDecisions(topology);
  });
  after(() => suite?.stop());

  const ask = (endpoint: string, body: object) =>
    suite.stack.call(`access/v1/${endpoint}`, body, suite.owner.token);
  const question = (name: string, resource: object) => ({
    subject: { type: 'user' },
    action: { name },
    resource,
  });
  const resource = (id: string) => ({
    type: 'resource',
    id,
    properties: { tenant: suite.Tenant },
  });

  test('lists those that an evaluation permits, page by page', async () => {
    const { person, other, owner, Tenant, ask: call } = suite;
    const search = async (name: string, more: object = {}) =>
      bodyOf(await ask('search/subject', { ...question(name, resource('report-7')), ...more })) as {
        page: { next_token: string; count: number };
        results: Array<{ id: string }>;
      };
    const { page, results } = await search('app.reports.read');
    assert.deepEqual(results, [{ type: 'user', id: person.id }]);
    assert.deepEqual(page, { next_token: '', count: 1 });

    const Grant = { Tenant, Role: 'reader', Resource: 'report-7' };
    for (const { id } of [owner, other])
      bodyOf(await call('Grants_Add', { Grant: { ...Grant, UserID: id } }));
    const people: string[] = [];
    for (let token = ''; ; ) {
      const one = await search('app.reports.read', { page: { limit: 1, token } });
      people.push(...one.results.map(({ id }) => id));
      token = one.page.next_token;
      if (token === '') break;
      assert.equal(one.page.count, 1);
      // A token belongs to its search.
      assertRefused(
        await ask('search/subject', {
          ...question('app.notes.read', resource('report-7')),
          page: { token },
        }),
        400,
        'invalid_argument',
        ['page.token is not a cursor of this list'],
      );
    }
    assert.deepEqual(people, [person, owner, other].map(({ id }) => id).toSorted());
    for (const { id } of [owner, other])
      bodyOf(await call('Grants_Remove', { Grant: { ...Grant, UserID: id } }));
  });

  test('lists every holder of a large tenant once, page by page, in order', async () => {
    const { stack, owner } = suite;
    const Tenant = await createTenant(stack, owner.token);
    const Role = { Tenant, Slug: 'viewer', Permissions: ['app.maps.read'] };
    bodyOf(await stack.call('Roles_Save', { Role }, owner.token));
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'maps' } }, owner.token));
    const Grant = { Tenant, Group: 'maps', Role: 'viewer' };
    bodyOf(await stack.call('GroupGrants_Add', { Grant }, owner.token));
    // Every third is granted the role, every third is in the group, and the others hold nothing.
    const numbers = `generate_series(1, 18000) n`;
    const user = `'usr_' || lpad(n::text, 26, '0')`;
    await rowsOf(
      stack,
      `insert into access.tenant_member (tenant, user_id, status, source, joined_at) select $1, ${user}, 'active', 'admin', now() from ${numbers}`,
      [Tenant],
    );
    await rowsOf(
      stack,
      `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at)
       select $1, 'grt_' || lpad(n::text, 26, '0'), 'user', ${user}, 'viewer', '', '', now() from ${numbers} where n % 3 = 0`,
      [Tenant],
    );
    await rowsOf(
      stack,
      `insert into access.group_member (tenant, group_id, user_id, created_at)
       select $1, (select id from access.group_entry where tenant = $1), ${user}, now() from ${numbers} where n % 3 = 1`,
      [Tenant],
    );
    const request = { Tenant, Permission: 'app.maps.read', Type: 'user' };
    const { items } = await readList<{ ID: string }>(
      stack,
      'Access_ListSubjects',
      request,
      owner.token,
      200,
    );
    const numbersOf = items.map(({ ID }) => Number(ID.slice(4)));
    assert.deepEqual(
      numbersOf,
      Array.from({ length: 18_000 }, (_, at) => at + 1).filter((n) => n % 3 !== 2),
    );
  });
});
