import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPageFile, renderPage } from './page-texts.ts';

// The scripts are typed by tsconfig.json, which cannot see the pages: this test compares the two.

const names = ['login', 'signed-out', 'verify', 'reset', 'invitation', 'factors', 'passkeys'];

const tags: Readonly<Record<string, string>> = {
  HTMLInputElement: 'input',
  HTMLAnchorElement: 'a',
  HTMLButtonElement: 'button',
  HTMLFormElement: 'form',
};

/** The elements with an id, and the elements that the scripts of the page find by one. */
function read(markup: string, scripts: readonly string[]) {
  const elements = [...markup.matchAll(/<(\w+)\b[^>]*? id="([\w-]+)"/g)].map(
    ([, tag = '', id = '']) => ({ id, tag }),
  );
  const lookups = scripts.flatMap((script) =>
    [
      ...readPageFile(`${script}.js`)
        .toString()
        .matchAll(/\bfind\('([\w-]+)'(?:, (\w+))?\)/g),
    ].map(([, id = '', kind]) => ({ script, id, kind })),
  );
  return { elements, lookups };
}

const pages = [
  ...names.map((name) => {
    const markup = renderPage(name, 'en');
    const scripts = [...markup.matchAll(/"pages\/([\w-]+)\.js"/g)].map(([, script = '']) => script);
    const local = scripts.filter((script) => script !== 'lean-qr');
    return { name, ...read(markup, local) };
  }),
  { name: 'docs', ...read(readPageFile('docs.html').toString(), ['docs']) },
];

test('an id is on a page once', () => {
  for (const { name, elements } of pages) {
    const ids = elements.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)], name);
  }
});

test('the elements that the scripts of a page find are of the kind that they expect', () => {
  for (const { name, elements, lookups } of pages) {
    assert.ok(lookups.length > 0, name);
    for (const { script, id, kind } of lookups) {
      const element = elements.find((other) => other.id === id);
      if (element && kind) assert.equal(element.tag, tags[kind], `${name}: ${script}.js #${id}`);
    }
  }
});

test('an element that a script finds is on a page with this script', () => {
  const ids = new Map<string, boolean>();
  for (const { elements, lookups } of pages)
    for (const { script, id } of lookups) {
      const key = `${script}.js #${id}`;
      ids.set(key, ids.get(key) === true || elements.some((element) => element.id === id));
    }
  const missing = [...ids].filter(([, exists]) => !exists).map(([key]) => key);
  assert.deepEqual(missing, []);
});
