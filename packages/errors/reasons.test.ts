import assert from 'node:assert/strict';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import test from 'node:test';
import { rules } from './problems.ts';
import { isPublicReason, isReason, paramsOf, publicParams, reasons } from './reasons.ts';

const here = import.meta.dirname;
const root = join(here, '../..');
const words = /'([A-Z]+(?:_[A-Z]+)+)'/g;

async function wordsIn(patterns: readonly string[]): Promise<Set<string>> {
  const matches = new Set<string>();
  for await (const path of glob(patterns, { cwd: root })) {
    if (/node_modules|\/gen\/|\.test\.ts$/.test(path)) continue;
    for (const [, word = ''] of (await readFile(join(root, path), 'utf8')).matchAll(words))
      matches.add(word);
  }
  return matches;
}

test('no reason disappears or changes its name: they match reasons.golden.json', async () => {
  const path = `${here}/reasons.golden.json`;
  const names = Object.keys(reasons).sort();
  if (process.env['UPDATE_GOLDEN']) await writeFile(path, `${JSON.stringify(names, null, 2)}\n`);
  assert.deepEqual(names, JSON.parse(await readFile(path, 'utf8')));
  assert.deepEqual(Object.keys(reasons), names, 'the list is sorted');
});

test('no rule and no param of a reason disappears or changes its name', async () => {
  const path = `${here}/problems.golden.json`;
  const names = { rules: Object.keys(rules), params: paramsOf };
  if (process.env['UPDATE_GOLDEN']) await writeFile(path, `${JSON.stringify(names, null, 2)}\n`);
  assert.deepEqual(names, JSON.parse(await readFile(path, 'utf8')));
  for (const list of [names.rules, Object.keys(paramsOf)])
    assert.deepEqual(list, list.toSorted(), 'the list is sorted');
  for (const [rule, meaning] of Object.entries(rules)) {
    assert.match(rule, /^[a-z]+(_[a-z]+)*$/);
    assert.match(meaning, /^[A-Z].*\.$/, rule);
  }
});

test('a param tells no more than its message, and only what the list names', () => {
  const message = 'a bot has at most 10 keys';
  const params = (reason: string, values: Record<string, string>) =>
    publicParams(reason, message, values);
  assert.deepEqual(params('LIMIT_REACHED', { Limit: '10' }), { Limit: '10' });
  assert.deepEqual(params('LIMIT_REACHED', { Limit: '11' }), {});
  assert.deepEqual(params('LIMIT_REACHED', { Other: '10' }), {});
  assert.deepEqual(params('STALE', { Limit: '10' }), {});
  assert.deepEqual(params('', { Limit: '10' }), {});
});

test('every reason is an upper-case word, and a sentence says what it means', () => {
  for (const [reason, meaning] of Object.entries(reasons)) {
    assert.match(reason, /^[A-Z]+(_[A-Z]+)*$/);
    assert.match(meaning, /^[A-Z].*\.$/, reason);
  }
});

test('every reason of the list is sent somewhere', async () => {
  const sourceWords = await wordsIn(['packages/**/*.ts', 'services/**/*.ts', 'gateway/**/*.ts']);
  const unsent = Object.keys(reasons).filter(
    (name) => name.includes('_') && !sourceWords.has(name),
  );
  assert.deepEqual(unsent, []);
});

test('the pages compare reasons of the list', async () => {
  const compared = [...(await wordsIn(['gateway/pages/*.js']))];
  assert.ok(compared.length > 3);
  assert.deepEqual(
    compared.filter((word) => !isPublicReason(word)),
    [],
  );
});

test('the reasons of SCIM are no reasons of an ErrorResponse', () => {
  assert.equal(isReason('SCIM_VERSION'), true);
  assert.equal(isPublicReason('SCIM_VERSION'), false);
  assert.equal(isReason('toString'), false);
});
