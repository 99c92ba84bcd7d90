import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  layoutPlaceholders,
  placeholders,
  sharedPlaceholders,
  templateNames,
} from '@bailiwick/notifications/email/placeholders.ts';

const text = readFileSync(path.join(import.meta.dirname, '../../docs/mail.md'), 'utf8');
const sectionOf = (heading: string): string =>
  text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
const namesIn = (cell: string): string[] =>
  [...cell.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '');

test('docs/mail.md lists every mail with all of its placeholders', () => {
  const rows = [...sectionOf('Placeholders').matchAll(/^\| `(\w+)` *\|([^|]*)\|$/gm)].map(
    ([, mail = '', cell = '']) => [mail, namesIn(cell)] as const,
  );
  assert.deepEqual(Object.fromEntries(rows), placeholders);
  const documented = [...sectionOf('Mails and recipients').matchAll(/^\| `(\w+)` *\|/gm)].map(
    ([, mail]) => mail,
  );
  assert.deepEqual(documented, templateNames);
  const prose = sectionOf('Placeholders').split('\n');
  assert.deepEqual(namesIn(prose.find((line) => line.startsWith('In every mail')) ?? ''), [
    ...sharedPlaceholders,
  ]);
  assert.deepEqual(namesIn(prose.find((line) => line.startsWith('`layout.html`')) ?? ''), [
    ...layoutPlaceholders,
  ]);
});
