import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sectionsOf } from './entries.ts';

const heading = (level: number, text: string) =>
  `<h${level} id="x" tabindex="-1">${text} <a class="header-anchor" href="#${text.toLowerCase()}">#</a></h${level}>`;

test('the search holds each section with the headings above it, and each row that has an anchor', () => {
  const html = [
    heading(1, 'Configuration'),
    '<p>Every process.</p>',
    heading(2, 'Gateway'),
    '<table><tr id="bailiwick_host">\n<td><code>BAILIWICK_<wbr>HOST</code></td>\n<td>text</td></tr></table>',
    heading(2, 'Identity'),
    '<p>Accounts.</p>',
  ].join('\n');
  assert.deepEqual(
    [...sectionsOf(html)],
    [
      { anchor: 'configuration', titles: ['Configuration'], text: 'Every process.' },
      { anchor: 'gateway', titles: ['Configuration', 'Gateway'], text: 'BAILIWICK_HOST text' },
      {
        anchor: 'bailiwick_host',
        titles: ['Configuration', 'Gateway', 'BAILIWICK_HOST'],
        text: 'text',
      },
      { anchor: 'identity', titles: ['Configuration', 'Identity'], text: 'Accounts.' },
    ],
  );
});
