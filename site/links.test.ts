import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf } from './links.ts';
import type { Page } from './sidebar.ts';

const page = (path: string, source: string, text = ''): Page => ({
  path,
  source,
  label: path,
  group: '',
  text,
});
const start = page('start.md', 'README.md', '# Start\n\n## Running it\n');
const errors = page('errors.md', 'README.md', '# Errors\n\n## When something is refused\n');
const sso = page('sso.md', 'docs/sso.md', '# Single sign-on\n\n## Confirm a link\n');
const chart = page('chart.md', 'helm/bailiwick/README.md');
const pages = [start, errors, sso, chart];

test('a link to a document becomes a link to its page', () => {
  assert.deepEqual(targetOf('docs/sso.md#confirm-a-link', start, pages), {
    page: '/sso.md#confirm-a-link',
  });
  assert.deepEqual(targetOf('../README.md', sso, pages), { page: '/start.md' });
});

test('a link to a section leads to the page that has the section', () => {
  assert.deepEqual(targetOf('../README.md#when-something-is-refused', sso, pages), {
    page: '/errors.md#when-something-is-refused',
  });
  assert.deepEqual(targetOf('#when-something-is-refused', start, pages), {
    page: '/errors.md#when-something-is-refused',
  });
});

test('a folder is the page of its README', () => {
  assert.deepEqual(targetOf('../helm/bailiwick/', sso, pages), { page: '/chart.md' });
});

test('a link to another file of the repository names the file', () => {
  assert.deepEqual(targetOf('../test/sso/flow.test.ts', sso, pages), {
    file: 'test/sso/flow.test.ts',
  });
});

test('links to other hosts, to pages and to the same page stay', () => {
  for (const href of [
    'https://example.com',
    'mailto:a@example.com',
    '/api/groups.md',
    '#confirm-a-link',
  ])
    assert.equal(targetOf(href, sso, pages), undefined, href);
});
