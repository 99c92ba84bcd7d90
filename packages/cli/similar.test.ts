import assert from 'node:assert/strict';
import { test } from 'node:test';
import { similarNames } from './similar.ts';

const names = ['Groups_Get', 'Groups_List', 'Groups_ListMembers', 'Roles_List', 'login', 'logout'];

test('a mistyped name suggests the nearest ones, and a foreign word none', () => {
  const cases: ReadonlyArray<readonly [string, readonly string[]]> = [
    ['Groups_Lst', ['Groups_List']],
    ['Groups_Lits', ['Groups_List']],
    ['groups.list', ['Groups_List', 'Groups_ListMembers']],
    ['Group_List', ['Groups_List']],
    ['logn', ['login']],
    ['log', ['login', 'logout']],
    ['kubernetes', []],
    ['x', []],
    ['', []],
    ['G'.repeat(1_000_000), []],
  ];
  for (const [name, expected] of cases) assert.deepEqual(similarNames(name, names), expected, name);
});
