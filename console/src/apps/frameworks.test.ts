import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { frameworkNames, frameworks, setupOf } from './frameworks.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/add-sign-in.md'), 'utf8');
const example = { issuer: 'https://id.example.com', client: 'app_1', secret: 'bwka_1' };

for (const name of frameworkNames)
  test(`the values for ${name} are those that its program in docs/add-sign-in.md reads`, () => {
    const anchors = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
    const text = page.split(/^## /m).find((section) => {
      const heading = section.slice(0, section.indexOf('\n'));
      const anchor = heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
      return anchor === frameworks[name].anchor;
    });
    assert.ok(text !== undefined, anchors.join('\n'));
    const { snippets } = setupOf(name, [], example);
    const [install, values, start] = snippets.map(({ code }) => code);
    assert.ok(text.includes(`\n${install}\n`), install);
    for (const line of values?.split('\n') ?? [])
      assert.ok(text.includes(line.split('=')[0] ?? ''));
    assert.ok(text.includes(start?.split('=')[0]?.split(' ').at(0) ?? ''));
  });

test('setupOf takes the address of the application from its redirect addresses', () => {
  const redirects = ['https://shop.example.com/other', 'https://shop.example.com/eu/callback'];
  const { snippets, redirect, isMissing } = setupOf('express', redirects, example);
  assert.deepEqual([redirect, isMissing], ['https://shop.example.com/eu/callback', false]);
  assert.equal(
    snippets[1]?.code,
    'ISSUER=https://id.example.com\nCLIENT_ID=app_1\nCLIENT_SECRET=bwka_1\nAPP_URL=https://shop.example.com/eu',
  );
});

test('setupOf names the address that an app lacks', () => {
  const { redirect, isMissing } = setupOf('routes', ['https://shop.example.com/other'], example);
  assert.deepEqual([redirect, isMissing], ['https://shop.example.com/callback', true]);
});
