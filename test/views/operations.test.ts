import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { test } from 'node:test';
import { operations } from '@bailiwick/contract';
import { placeOf } from './operations.ts';

const root = join(import.meta.dirname, '../..');

/** A source without types, and without the lists of operations that are read again afterwards. */
const callsIn = (source: string): string =>
  source
    .replaceAll(/(?:ItemOf|ResponseOf|RequestOf)<'\w+'>/g, '')
    .replaceAll(/stale(?:=\{| = |: )\[[^\]]*\]/g, '')
    .replaceAll(/const (?:stale|rights)\b[^;]*;/g, '');

/** The calls of each folder of views and of each hosted page, by its place. */
function readCallers(): Map<string, string> {
  const callers = new Map<string, string>();
  const add = (place: string, calls: string) =>
    callers.set(place, [callers.get(place), calls].join('\n'));
  const views = join(root, 'console/src');
  for (const file of globSync('*/**/*.{ts,tsx}', { cwd: views }))
    add(`view: ${file.split('/')[0]}`, callsIn(readFileSync(join(views, file), 'utf8')));
  const pages = join(root, 'gateway/pages');
  for (const file of globSync('*.{js,html}', { cwd: pages }))
    add(`page: ${parse(file).name}`, readFileSync(join(pages, file), 'utf8'));
  return callers;
}

/** Webhooks and chat channels have the same views, which make the names of their operations. */
function hasCall(calls: string, name: string): boolean {
  const shared = /^(?:Webhooks|Chat)(_\w+)$/.exec(name)?.[1];
  return (
    calls.includes(`'${name}'`) ||
    calls.includes(`"${name}"`) ||
    (shared !== undefined && calls.includes(`\${area}${shared}\``))
  );
}

test('every public operation has a line that says which view calls it, or why none does', () => {
  const publicNames = [...operations.values()]
    .filter(({ credential }) => credential !== 'service' && credential !== 'worker')
    .map(({ name }) => name);
  const message = 'add the line of a new operation to test/views/operations.ts';
  assert.deepEqual(Object.keys(placeOf), publicNames.sort(), message);
});

test('the views and pages of test/views/operations.ts call their operations, and none calls one without a place', () => {
  const callers = readCallers();
  for (const [name, place] of Object.entries(placeOf)) {
    const places = [...callers].filter(([, calls]) => hasCall(calls, name)).map(([at]) => at);
    if (place.startsWith('none: ')) assert.deepEqual(places, [], `${name} has a place now`);
    else assert.ok(places.includes(place), `${name}: ${place} is none of ${places.join(', ')}`);
  }
});
