import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelStep, type Row, rowsOf, treeOf } from './tree.ts';

const group = (Path: string, Name = '') => ({ Path, Name, Description: '' });
const labelsOf = (rows: readonly Row[]) =>
  rows.map((row) => `${row.level} ${row.node ? row.node.name : `${row.hidden} more`}`);

test('groups are below the groups of their paths, in any letter case and in any order', () => {
  const tree = treeOf([group('Eng/backend'), group('sales'), group('eng', 'Engineering')]);
  assert.deepEqual(labelsOf(rowsOf(tree, new Set(['eng']), new Map())), [
    '1 Engineering',
    '2 backend',
    '1 sales',
  ]);
  assert.deepEqual(labelsOf(rowsOf(tree, new Set(), new Map())), ['1 Engineering', '1 sales']);
});

test('a place without a group of its own leads to the groups below it', () => {
  const [eng] = treeOf([group('eng/backend')]);
  assert.equal(eng?.group, undefined);
  assert.equal(eng?.children[0]?.group?.Path, 'eng/backend');
});

test('a long level shows its first rows, and the number of the others', () => {
  const tree = treeOf(Array.from({ length: 5000 }, (_, at) => group(`g${at}`)));
  const rows = rowsOf(tree, new Set(), new Map());
  assert.equal(rows.length, levelStep + 1);
  assert.equal(labelsOf(rows).at(-1), `1 ${5000 - levelStep} more`);
  assert.equal(rowsOf(tree, new Set(), new Map([['', 5000]])).length, 5000);
});
