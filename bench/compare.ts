import { readFileSync } from 'node:fs';
import process from 'node:process';
import { median } from '@bailiwick/test/support/numbers.ts';
import type { Row } from './bench.ts';
import { aligned, short } from './report.ts';

// node bench/compare.ts base-1.json base-2.json … -- head-1.json head-2.json …: the change from
// one version to another, as Markdown, from the short benches of both, which ran in turns. Base and
// head are the same machine and the same minutes; a change within the spread of the runs is noise.

type Run = { rows: Row[] };

const isCost = ({ unit }: Row) => unit === 'µs' || unit === 'ms';

/** A table with a line for each kind of work. */
export function compareRuns(base: readonly Run[], head: readonly Run[]): string {
  const rows = head[0]?.rows ?? [];
  const table = [
    ['', 'What', 'Base', 'Head', 'Change', 'Spread of base'],
    ...rows.map((row) => {
      const [before, now] = [valuesOf(base, row), valuesOf(head, row)];
      if (before.length === 0) return [row.id, row.what, '', withUnit(median(now), row), 'new', ''];
      const change = median(now) / median(before) - 1;
      const spread = (Math.max(...before) - Math.min(...before)) / median(before);
      return [
        row.id,
        row.what,
        withUnit(median(before), row),
        withUnit(median(now), row),
        `${signed(change)}${verdict(change, spread, row)}`,
        `${(spread * 100).toFixed(0)} %`,
      ];
    }),
  ];
  const errors = [...base, ...head].flatMap((run) => run.rows).filter((row) => row.errors);
  return [
    '### Short bench: this change against its base',
    '',
    `${base.length} runs of the base and ${head.length} of the head in turns, on one runner. CPU is that of all processes, without the database and the broker, and is less noisy than a rate. A bold change is larger than 10 % and than the spread.`,
    '',
    ...aligned(table),
    ...(errors.length > 0 ? ['', `${errors.length} rows had errors and measured nothing.`] : []),
    '',
  ].join('\n');
}

const valuesOf = (runs: readonly Run[], { id, what, unit }: Row): number[] =>
  runs.flatMap(({ rows }) =>
    rows
      .filter((row) => row.id === id && row.what === what && row.unit === unit && !row.errors)
      .map(({ ours }) => ours),
  );

const withUnit = (number: number, { unit }: Row): string => `${short(number)} ${unit}`;
const signed = (change: number): string =>
  `${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(0)} %`;

function verdict(change: number, spread: number, row: Row): string {
  if (Math.abs(change) <= Math.max(0.1, spread)) return '';
  return change > 0 === isCost(row) ? ' **worse**' : ' **better**';
}

if (import.meta.main) {
  const files = process.argv.slice(2);
  const at = files.indexOf('--');
  const read = (names: readonly string[]) =>
    names.map((name) => JSON.parse(readFileSync(name, 'utf8')) as Run);
  process.stdout.write(compareRuns(read(files.slice(0, at)), read(files.slice(at + 1))));
}
