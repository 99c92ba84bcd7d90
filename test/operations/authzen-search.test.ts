import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { describeOne } from '../support/harness.ts';
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
  const about = (name: string, resource: object) => ({
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
      bodyOf(await ask('search/subject', { ...about(name, resource('report-7')), ...more })) as {
        page: { next_token: string; count: number };
        results: Array<{ id: string }>;
      };
    const { page, results } = await search('app.reports.read');
    assert.deepEqual(results, [{ type: 'user', id: person.id }]);
    assert.deepEqual(page, { next_token: '', count: 1 });

    const Grant = { Tenant, Role: 'reader', Resource: 'report-7' };
    for (const { id } of [owner, other])
      bodyOf(await call('Grants_Add', { Grant: { ...Grant, UserID: id } }));
    const found: string[] = [];
    for (let token = ''; ; ) {
      const one = await search('app.reports.read', { page: { limit: 1, token } });
      found.push(...one.results.map(({ id }) => id));
      token = one.page.next_token;
      if (token === '') break;
      assert.equal(one.page.count, 1);
      // A token belongs to its search.
      assertRefused(
        await ask('search/subject', {
          ...about('app.notes.read', resource('report-7')),
          page: { token },
        }),
        400,
        'invalid_argument',
        ['page.token is not a cursor of this list'],
      );
    }
    assert.deepEqual(found, [person, owner, other].map(({ id }) => id).toSorted());
    for (const { id } of [owner, other])
      bodyOf(await call('Grants_Remove', { Grant: { ...Grant, UserID: id } }));
  });
});
