import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Row } from './bench.ts';
import { hasRatio, plot, times } from './plot.ts';
import { short } from './report.ts';

// docs/performance.json has the results that docs/performance.md begins with. The lines and the
// picture come from it, so that they cannot disagree.

const docs = path.resolve(import.meta.dirname, '../docs');
const files = {
  results: path.join(docs, 'performance.json'),
  page: path.join(docs, 'performance.md'),
  picture: path.join(docs, 'performance.svg'),
};
const [begin, end] = ['<!-- from performance.json -->', '<!-- end -->'];
const title = 'Bailiwick against others, on the same machine';

type Results = { measured: string; rows: Row[] };

export const readResults = (): Results =>
  JSON.parse(readFileSync(files.results, 'utf8')) as Results;

const isSame = (one: Row, other: Row): boolean =>
  one.id === other.id && one.what === other.what && one.against === other.against;

/** Replaces the rows of docs/performance.json that have been measured, and renders the page. */
export function updatePage(measured: readonly Row[], conditions: string): void {
  const results = readResults();
  if (measured.length > 0) {
    const rows = results.rows.map((row) => measured.find((one) => isSame(one, row)) ?? row);
    writeFileSync(files.results, `${JSON.stringify({ measured: conditions, rows }, null, 2)}\n`);
  }
  for (const [file, text] of Object.entries(renderPage())) writeFileSync(file, text);
}

/** The page and its picture as they should be, by file. */
export function renderPage(): Record<string, string> {
  const { measured, rows } = readResults();
  const rowsWithRatio = rows.filter(hasRatio);
  const text = readFileSync(files.page, 'utf8');
  const [before = '', rest = ''] = text.split(begin);
  const [, after = ''] = rest.split(end);
  const lines = [
    '| What | Ours | Theirs | Times as good |',
    '| --- | --- | --- | --- |',
    ...rowsWithRatio.map(
      ({ what, unit, ours, against, other, ratio }) =>
        `| ${what} | ${short(ours)} ${unit} | ${short(other)} ${unit} (${against}) | **${times(ratio)}** |`,
    ),
  ];
  const picture = `![${title}: the ratios of the table above](performance.svg)`;
  const opening = [begin, '', ...lines, '', measured, '', picture, '', end].join('\n');
  return {
    [files.page]: `${before}${opening}${after}`,
    [files.picture]: plot(rowsWithRatio, title),
  };
}
