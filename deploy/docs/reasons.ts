import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasons } from '@bailiwick/gateway/errors.ts';
import { root } from '../local/paths.ts';

// Generates the table of reasons in docs/api.md.

const [begin, end] = [
  '<!-- reasons: generated from proto/reasons.ts -->\n',
  '\n<!-- end of reasons -->',
];

/** docs/api.md with the present table. */
export function renderApi(): string {
  const text = readFileSync(join(root, 'docs/api.md'), 'utf8');
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  if (from < begin.length || to < from) throw new Error('docs/api.md has no place for the reasons');
  const rows = Object.entries(reasons).map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`);
  const table = ['', '| `Reason` | Meaning, and what to do |', '| --- | --- |', ...rows].join('\n');
  return `${text.slice(0, from)}${table}\n${text.slice(to)}`;
}
