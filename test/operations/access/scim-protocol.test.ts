import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { bodyOf } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { rowsOf } from '../../support/store.ts';
import {
  accountOf,
  assertScimError,
  type List,
  newDirectory,
  patchOf,
  personOf,
  type Resource,
  type Scim,
  startScim,
} from './scim-calls.ts';

describeOne('the SCIM protocol', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  test('another credential is refused: none, a session, a cookie, a bot without the permission, a bot of another tenant', async () => {
    const { stack, owner, Tenant, bot, base, call } = suite;
    const other = await newDirectory(stack, owner);
    const weak = await createBot(stack, Tenant, owner.token);
    const { Secret: weakKey } = await createKey(stack, weak, owner.token);
    const { Secret: narrowed } = await createKey(stack, bot, owner.token, {
      Permissions: ['iam.users.read'],
    });
    const ask = (authorization?: string, headers: Record<string, string> = {}) =>
      fetch(`${base}/Users`, { headers: { ...(authorization && { authorization }), ...headers } });
    assert.equal((await ask()).status, 401);
    assert.equal(
      (await ask(undefined, { cookie: `bailiwick_session=${owner.token}` })).status,
      401,
    );
    for (const token of [owner.token, weakKey, narrowed, other.key])
      assert.equal((await ask(`Bearer ${token}`)).status, 403);
    const foreign = await other.create('mine');
    assertScimError(await call('GET', `Users/${foreign.id}`), 404);
    assertScimError(
      await call(
        'PATCH',
        `Users/${foreign.id}`,
        patchOf({ op: 'replace', path: 'title', value: 'x' }),
      ),
      404,
    );
    assertScimError(await call('DELETE', `Users/${foreign.id}`), 404);
    const denied = await eventually('the audit of the refusals', async () => {
      const rows = await rowsOf<{ count: number }>(
        stack,
        `select count(*)::int as count from access.audit_entry where tenant = $1 and operation = 'Scim_Handle' and result = 'denied'`,
        [Tenant],
      );
      return (rows[0]?.count ?? 0) >= 4 && rows[0];
    });
    assert.ok(denied);
  });

  test('every change is audited with the bot as its actor, those of the account too', async () => {
    const { stack, Tenant, bot, create, patch, call } = suite;
    const person = await create('traced');
    await patch(person.id, { op: 'replace', path: 'title', value: 'Clerk' });
    await patch(person.id, { op: 'replace', path: 'displayName', value: 'Tracy' });
    assert.equal((await call('DELETE', `Users/${person.id}`)).status, 204);
    const actions = [
      'scim.user_created',
      'scim.user_deleted',
      'scim.user_updated',
      'tenant.member_added',
      'tenant.member_removed',
      'user.registered',
      'user.updated',
    ];
    const entries = `select action, actor_id, operation from access.audit_entry
      where tenant in ('', $1) and targets::text ~ $2`;
    const rows = await eventually('the entries', async () => {
      const current = await rowsOf<{ action: string; actor_id: string; operation: string }>(
        stack,
        entries,
        [Tenant, `${person.id}|${accountOf(person)}`],
      );
      return actions.every((action) => current.some((row) => row.action === action)) && current;
    });
    for (const row of rows)
      if (actions.includes(row.action))
        assert.deepEqual([row.actor_id, row.operation], [bot.ID, 'Scim_Handle'], row.action);
  });

  test('If-Match: a change of another version answers 412, and of the present one is made', async () => {
    const { call, create } = suite;
    const person = await create('versioned');
    const change = (title: string, match: string) =>
      call('PATCH', `Users/${person.id}`, patchOf({ op: 'replace', path: 'title', value: title }), {
        'if-match': match,
      });
    assertScimError(await change('a', 'W/"other"'), 412);
    const changed = await change('a', person.meta.version);
    assert.equal(changed.status, 200);
    assert.notEqual((changed.body as Resource).meta.version, person.meta.version);
    assertScimError(await change('b', person.meta.version), 412);
    assert.equal((await change('b', '*')).status, 200);
    assertScimError(
      await call('DELETE', `Users/${person.id}`, undefined, { 'if-match': person.meta.version }),
      412,
    );
  });

  test('a list shows each person on one page, with the attributes that are asked for', async () => {
    const { stack, owner } = suite;
    const { create, get } = await newDirectory(stack, owner);
    const created: string[] = [];
    for (let n = 0; n < 7; n += 1) created.push((await create(`p${n}`, { title: `t${n % 2}` })).id);
    const page = (query: string) => get<List>('GET', `Users?${query}`);
    const ids: string[] = [];
    for (const startIndex of [1, 4, 7, 10]) {
      const { totalResults, Resources } = await page(`startIndex=${startIndex}&count=3`);
      assert.equal(totalResults, 7);
      ids.push(...Resources.map(({ id }) => id));
    }
    assert.deepEqual(ids, created);
    assert.deepEqual((await page('count=0')).Resources, []);
    assert.equal((await page('startIndex=-5&count=1')).startIndex, 1);
    const [first] = (await page('count=1&attributes=userName')).Resources;
    assert.deepEqual(Object.keys(first ?? {}).sort(), ['id', 'schemas', 'userName']);
    const sorted = await page('sortBy=userName&sortOrder=descending');
    assert.deepEqual(
      sorted.Resources.map(({ id }) => id),
      created.toReversed(),
    );
    const searched = await get<List>('POST', 'Users/.search', {
      filter: 'title eq "t1"',
      count: 2,
    });
    assert.deepEqual([searched.totalResults, searched.Resources.length], [3, 2]);
  });

  test('a list of groups shows each group of the directory on one page, and none made by hand', async () => {
    const { stack, owner } = suite;
    const { Tenant, get } = await newDirectory(stack, owner);
    const created: string[] = [];
    for (const displayName of ['a', 'b', 'c', 'd', 'e']) {
      created.push((await get<Resource>('POST', 'Groups', { displayName }, 201)).id);
      const Group = { Tenant, Path: `by-hand-${displayName}` };
      bodyOf(await stack.call('Groups_Save', { Group }, owner.token));
    }
    const ids: string[] = [];
    for (const startIndex of [1, 3, 5, 7]) {
      const page = await get<List>('GET', `Groups?startIndex=${startIndex}&count=2`);
      assert.equal(page.totalResults, 5);
      ids.push(...page.Resources.map(({ id }) => id));
    }
    assert.deepEqual(ids, created);
  });

  test("an unknown path, a wrong method, a broken body and unknown attributes get the protocol's errors", async () => {
    const { call, create, base, key } = suite;
    const person = await create('strict');
    const at = `Users/${person.id}`;
    assertScimError(await call('GET', 'Others'), 404);
    assertScimError(await call('GET', `Users/${createId('scu')}`), 404);
    for (const id of ['%00', '%', 'a%2Fb', '..%2F..', '%F0%9F%98%80'])
      assertScimError(await call('GET', `Users/${id}`), 404);
    for (const text of ['\\u0000', '\\ud800']) {
      assertScimError(
        await call('POST', 'Users', `{"userName":"${text}@x.test"}`),
        400,
        'invalidValue',
      );
      assertScimError(
        await call('POST', 'Users/.search', { filter: `userName eq "${text}"` }),
        400,
        'invalidFilter',
      );
    }
    assertScimError(await call('DELETE', 'Users'), 501);
    assertScimError(await call('POST', 'Users', '{'), 400, 'invalidSyntax');
    assertScimError(await call('POST', 'Users', '[]'), 400, 'invalidSyntax');
    assertScimError(
      await call('POST', 'Users', { schemas: [] }),
      400,
      'invalidValue',
      /userName is required/,
    );
    assertScimError(await call('POST', 'Users', personOf('no address')), 400, 'invalidValue');
    assertScimError(
      await call('POST', 'Users', personOf(suite.address('x'), { active: 'perhaps' })),
      400,
      'invalidValue',
    );
    assertScimError(
      await call('PATCH', at, patchOf({ op: 'replace', path: 'shoeSize', value: 1 })),
      400,
      'invalidPath',
    );
    assertScimError(
      await call('PATCH', at, patchOf({ op: 'replace', path: 'id', value: 'x' })),
      400,
      'mutability',
    );
    assertScimError(await call('PATCH', at, patchOf({ op: 'remove' })), 400, 'noTarget');
    assertScimError(
      await call('PATCH', at, patchOf({ op: 'move', path: 'title' })),
      400,
      'invalidSyntax',
    );
    assertScimError(
      await call('PATCH', at, patchOf({ op: 'remove', path: 'userName' })),
      400,
      'invalidValue',
    );
    const long = 'x'.repeat(256);
    for (const more of [
      { externalId: long },
      { userName: `${long}@x.test` },
      { title: long.repeat(9) },
    ])
      assertScimError(
        await call('POST', 'Users', { ...personOf(suite.address('y')), ...more }),
        400,
        'invalidValue',
      );
    for (const displayName of ['x'.repeat(257), ' '])
      assertScimError(await call('POST', 'Groups', { displayName }), 400, 'invalidValue');
    const many = Array.from({ length: 201 }, () => ({ op: 'remove', path: 'title' }));
    assertScimError(await call('PATCH', at, patchOf(...many)), 400, 'invalidSyntax');
    assertScimError(await call('GET', 'Users?filter=shoeSize%20eq%201'), 400, 'invalidFilter');
    const terms = Array.from({ length: 10_000 }, (_, n) => `title eq "${n}"`).join(' or ');
    assertScimError(await call('POST', 'Users/.search', { filter: terms }), 400, 'invalidFilter');
    const brackets = `${'('.repeat(4000)}title pr${')'.repeat(4000)}`;
    assertScimError(
      await call('POST', 'Users/.search', { filter: brackets }),
      400,
      'invalidFilter',
    );
    assertScimError(await call('POST', 'Users', { pad: 'x'.repeat(1024 * 1024) }), 413);
    const typed = await fetch(`${base}/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
      body: '{}',
    });
    assert.equal(typed.status, 415);
    assert.deepEqual(await suite.read(person.id), person);
  });

  test('a group has a name of up to 256 characters', async () => {
    const { get, call, stack, owner, Tenant } = suite;
    const displayName = 'n'.repeat(256);
    const { id } = await get<Resource>('POST', 'Groups', { displayName }, 201);
    assert.equal((await get<Resource>('GET', `Groups/${id}`)).displayName, displayName);
    const long = { displayName: `${displayName}n` };
    assertScimError(await call('POST', 'Groups', long), 400, 'invalidValue');
    const Path = 'n'.repeat(63);
    const { body } = await stack.call('Groups_Get', { Tenant, Path }, owner.token);
    const Group = body['Group'] as Record<string, unknown>;
    const saved = await stack.call(
      'Groups_Save',
      { Group: { ...Group, Description: 'Ours' } },
      owner.token,
    );
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
  });

  test('a body or query that parsers read differently is refused', async () => {
    const { address, call } = suite;
    const user = JSON.stringify(personOf(address('twice')));
    for (const header of [
      { 'content-type': 'application/scim+json; charset=utf-16' },
      { 'content-encoding': 'gzip' },
    ])
      assertScimError(await call('POST', 'Users', user, header), 415);
    const twice = user.replace('{', '{"title":"a","title":"b",');
    assertScimError(await call('POST', 'Users', twice), 400, 'invalidSyntax', /title/);
    assertScimError(await call('GET', 'Users?count=1&count=2'), 400, 'invalidValue');
  });
});
