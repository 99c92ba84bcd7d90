import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findClaim } from './claims.ts';

const claims = {
  groups: ['a'],
  realm_access: { roles: ['b'], 'more.roles': ['c'] },
  resource_access: { 'my.app': { roles: ['d'] }, my: { app: 'no object' } },
  'https://example.com/groups': ['e'],
  'a.b': { c: 'f' },
  a: { b: { d: 'g' }, 'x/y': { 'm~n': 'h' } },
  'literal.name': 'i',
  literal: { name: 'j' },
  list: [{ roles: ['k'] }],
};

test('findClaim reads a literal name, a path with dots or a JSON Pointer', () => {
  for (const [name, value] of [
    ['groups', ['a']],
    ['realm_access.roles', ['b']],
    ['realm_access.more.roles', ['c']],
    ['resource_access.my.app.roles', ['d']],
    ['https://example.com/groups', ['e']],
    ['a.b.c', 'f'],
    ['a.b.d', 'g'],
    ['literal.name', 'i'],
    ['/literal/name', 'j'],
    ['/resource_access/my.app/roles', ['d']],
    ['/a/x~1y/m~0n', 'h'],
  ] as const)
    assert.deepEqual(findClaim(claims, name), value, name);
});

test('findClaim finds own members of objects only', () => {
  for (const name of [
    'constructor',
    'realm_access.constructor.name',
    'groups.length',
    'list.0.roles',
    '/list/0/roles',
    '/groups/length',
    '/__proto__/toString',
    '__proto__.toString',
    'realm_access.',
    '.realm_access',
    'realm_access..roles',
    '/',
    '',
    'https://example.com/others',
  ])
    assert.equal(findClaim(claims, name), undefined, name);
});

test('findClaim searches hostile claims in bounded time', () => {
  const parts = Array.from({ length: 16 }, () => 'a');
  const nested = (level: number): object =>
    level >= 16
      ? {}
      : { a: nested(level + 1), 'a.a': level > 12 ? nested(level + 2) : {}, 'a.a.a': {} };
  const started = performance.now();
  assert.equal(findClaim({ a: nested(1) }, `${parts.join('.')}.${'a.'.repeat(100)}b`), undefined);
  assert.ok(performance.now() - started < 2000);
});
