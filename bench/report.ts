import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { isMet, type Options, type Row } from './bench.ts';

type Conditions = Pick<Options, 'seconds' | 'rounds'> & { took: number; loadBefore: number };

/** The machine, the versions and the turns of a run. */
export function conditions({ seconds, rounds, took, loadBefore }: Conditions): string[] {
  // Without the build name, which is of no use elsewhere.
  const kernel = release().split('.', 2).join('.');
  return [
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${kernel}, load ${loadBefore.toFixed(1)} before.`,
    `${versions()}.`,
    `${rounds} rounds of ${seconds} s a turn, ${took.toFixed(1)} minutes. Medians; a ratio is the median of the rounds' own.`,
  ];
}

/** The rows as Markdown, with the machine that they were measured on. */
export function report(
  rows: readonly Row[],
  { seconds, rounds, took, loadBefore }: Conditions,
  failures: readonly string[],
): string {
  const table = [
    ['', 'What', 'Ours', 'Against', 'Theirs', 'Ratio', 'Target', 'Met'],
    ...rows.map((row) => [
      row.id,
      row.what,
      `${short(row.ours)} ${row.unit}`,
      row.against ?? '',
      row.other === undefined ? (row.missing ?? '') : `${short(row.other)} ${row.unit}`,
      row.ratio === undefined ? '' : row.ratio.toFixed(2),
      targetOf(row),
      verdictOf(row),
    ]),
  ];
  return [
    ...conditions({ seconds, rounds, took, loadBefore }),
    '',
    ...aligned(table),
    ...(failures.length > 0
      ? ['', 'Errors:', '', ...failures.map((failure) => `- ${failure}`)]
      : []),
    '',
  ].join('\n');
}

/** Three digits. */
export const short = (number: number): string =>
  Math.abs(number) >= 100 ? number.toFixed(0) : number.toPrecision(3);

function targetOf({ target, ratio, missing, unit }: Row): string {
  if (!target) return '';
  const after = ratio === undefined && missing === undefined ? ` ${unit}` : '';
  return 'least' in target ? `≥ ${target.least}${after}` : `≤ ${target.most}${after}`;
}

function verdictOf(row: Row): string {
  if (row.errors) return `no: ${row.errors} errors`;
  if (row.missing !== undefined) return 'not measured';
  const met = isMet(row);
  return met === undefined ? '' : met ? 'yes' : '**no**';
}

/** A table as Markdown, whose first row is its head. */
export function aligned(table: readonly string[][]): string[] {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(3, ...table.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = table;
  return [
    line(head),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...body.map(line),
  ];
}

/** From the catalog, which has every exact version. */
function versions(): string {
  const catalog = readFileSync(path.join(import.meta.dirname, '../pnpm-workspace.yaml'), 'utf8');
  const named = [
    '@node-rs/argon2',
    'better-auth',
    '@connectrpc/connect-node',
    'undici',
    'pg',
    'bullmq',
    'graphile-worker',
  ].map((name) => {
    const version = new RegExp(`^ {2}'?${name}'?: (\\S+)$`, 'm').exec(catalog)?.[1];
    return `${name} ${version}`;
  });
  return [`Node ${process.versions.node}`, ...named].join(', ');
}
