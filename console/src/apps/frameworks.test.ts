import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FrameworkName, frameworkNames, frameworks, setupOf } from './frameworks.ts';

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
    const installed = text.match(/^npm install .+$/gm) ?? [];
    assert.deepEqual(install?.split('\n'), installed);
    for (const line of values?.split('\n') ?? [])
      assert.ok(text.includes(line.split('=')[0] ?? ''));
    assert.ok(text.includes(start?.split('=')[0]?.split(' ').at(0) ?? ''));
  });

const addressesOf = (name: FrameworkName, redirects: string[]) => {
  const { snippets, redirect, isMissing } = setupOf(name, redirects, example);
  const [, home = ''] = /^APP_URL=(.*)$/m.exec(snippets[1]?.code ?? '') ?? [];
  return { home, redirect, isMissing };
};

test('setupOf takes the address of the application from its redirect addresses', () => {
  const redirects = ['https://shop.example.com/other', 'https://eu.example.com/callback'];
  assert.deepEqual(addressesOf('express', redirects), {
    home: 'https://eu.example.com',
    redirect: 'https://eu.example.com/callback',
    isMissing: false,
  });
});

test('setupOf names the address that an app lacks', () => {
  const redirect = 'https://shop.example.com/callback';
  const home = 'https://shop.example.com';
  for (const other of ['https://shop.example.com/other', 'https://shop.example.com/eu/callback'])
    assert.deepEqual(addressesOf('routes', [other]), { home, redirect, isMissing: true });
  const { redirect: page, isMissing } = setupOf('react', ['https://x.example.com/app/'], example);
  assert.deepEqual([page, isMissing], ['https://x.example.com/', true]);
});

test('setupOf takes the port of the framework for an app without redirect addresses', () => {
  assert.equal(addressesOf('express', []).home, 'http://localhost:3000');
  assert.equal(addressesOf('react', []).redirect, 'http://localhost:5173/');
});
