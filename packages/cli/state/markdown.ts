import type { PermissionChange } from '../../client/gen/types.ts';
import { printable } from '../text.ts';
import type { Planned } from './plan.ts';

// A plan as a comment in a forge. The forge must not read names of users and groups as markup, links or mentions: they stand in
// <code> and <pre>, where forges replace nothing, and every character with a meaning is a numeric entity. A block of HTML ends at
// an empty line, so that none is in it.

/** The lengths of the parts, of which two are refusals and two extra. GitHub takes comments of 65,536 characters. */
const lengths = { refusals: 10_000, table: 22_000, changes: 10_000, extra: 5_000 };

export function renderPlan({ changes, extra, names, preview, violations }: Planned): string {
  const { Gained, Lost, refused, notes } = preview;
  const nameOf = (id: string) => names.get(id) ?? id;
  const rows = [...rowsOf('gains', Gained, nameOf), ...rowsOf('loses', Lost, nameOf)];
  return [
    `### Access plan: ${verdict(changes.length, refused.length, violations.length)}`,
    ...block('The policy forbids', violations, lengths.refusals),
    ...block('Would be rejected', refused, lengths.refusals),
    ...effectTable(rows),
    ...block('Notes', notes, lengths.extra),
    ...folded('Changes', changes, lengths.changes),
    ...folded('Not in the file, and left alone', extra, lengths.extra),
  ].join('\n\n');
}

/** The comment for a plan that could not be made. */
export const renderFailure = (lines: readonly string[]): string =>
  ['### Access plan: failed', ...block('Error', lines, lengths.refusals)].join('\n\n');

function verdict(changes: number, refused: number, violations: number): string {
  if (violations > 0) return 'forbidden by the policy';
  if (refused > 0) return 'would be rejected';
  if (changes === 0) return 'no changes';
  return changes === 1 ? '1 change' : `${changes} changes`;
}

/** The longest name that is shown. */
const longest = 120;

function escaped(text: string): string {
  const characters = Array.from(printable(text));
  const visible = characters.length > longest ? [...characters.slice(0, longest), '…'] : characters;
  return visible
    .map((one) => (/^[A-Za-z0-9 ]$/.test(one) ? one : `&#${one.codePointAt(0)};`))
    .join('');
}

const code = (text: string) => `<code>${escaped(text)}</code>`;

/** The pieces that fit, and how many are left out. */
function within(pieces: readonly string[], length: number): { pieces: string[]; omitted: number } {
  let total = 0;
  const end = pieces.findIndex((piece) => (total += piece.length + 1) > length);
  const count = end === -1 ? pieces.length : end;
  return { pieces: pieces.slice(0, count), omitted: pieces.length - count };
}

function block(title: string, lines: readonly string[], length: number): string[] {
  if (lines.length === 0) return [];
  const pieces = lines.flatMap((line) => wrapped(line).map(escaped));
  return [`**${title}**`, preformatted(pieces, length)];
}

/** A message is longer than a name: it is broken at a space, if it has one. */
const wrapped = (text: string): string[] =>
  printable(text).match(/.{1,120}(?: |$)|.{1,120}/gsu) ?? [''];

function folded(title: string, changes: Planned['changes'], length: number): string[] {
  if (changes.length === 0) return [];
  const lines = changes.map(({ text }) => escaped(text));
  return [
    `<details><summary>${title} (${changes.length})</summary>\n${preformatted(lines, length)}\n</details>`,
  ];
}

function preformatted(lines: readonly string[], length: number): string {
  const filled = lines.map((line) => (line.trim() === '' ? '&#160;' : line));
  const { pieces, omitted } = within(filled, length);
  return `<pre>${[...pieces, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join('\n')}</pre>`;
}

/** The permissions of one cell. An owner gains each of Bailiwick's. */
const permissionsShown = 12;

/** One row for each user or bot, and resource. */
function rowsOf(
  verb: string,
  list: readonly PermissionChange[],
  nameOf: (id: string) => string,
): string[] {
  const groups = new Map<string, { Subject: string; Resource: string; gained: string[] }>();
  for (const { Subject, Resource, Permission } of list) {
    const key = JSON.stringify([Subject, Resource]);
    const group = groups.get(key) ?? { Subject, Resource, gained: [] };
    groups.set(key, group);
    group.gained.push(Permission);
  }
  return [...groups.values()].map(({ Subject, Resource, gained }) => {
    const permissions = gained.slice(0, permissionsShown).map(code);
    const omitted = gained.length - permissions.length;
    const cells = [
      verb,
      code(nameOf(Subject)),
      `${permissions.join(' ')}${omitted > 0 ? ` and ${omitted} more` : ''}`,
      Resource === '' ? 'the tenant' : code(Resource),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
}

function effectTable(rows: readonly string[]): string[] {
  if (rows.length === 0) return [];
  const { pieces, omitted } = within(rows, lengths.table);
  const head = '<tr><th></th><th>User or bot</th><th>Permissions</th><th>In</th></tr>';
  return [
    ['<table>', head, ...pieces, '</table>'].join('\n'),
    ...(omitted > 0 ? [`and ${omitted} more rows`] : []),
  ];
}
