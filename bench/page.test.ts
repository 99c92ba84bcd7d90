import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Row } from './bench.ts';
import { compareRuns } from './compare.ts';
import { readResults, renderPage } from './page.ts';
import { hasRatio, plot } from './plot.ts';

const row = (ours: number, more: Partial<Row> = {}): Row => ({
  id: 'S1',
  what: 'sign-ins',
  unit: '1/s',
  ours,
  ...more,
});

test('docs/performance.md and its picture show docs/performance.json (npm run bench -- page)', () => {
  for (const [file, text] of Object.entries(renderPage()))
    assert.equal(readFileSync(file, 'utf8'), text, file);
  const { rows } = readResults();
  assert.equal(rows.filter(hasRatio).length, 5);
  const page = readFileSync(path.resolve(import.meta.dirname, '../docs/performance.md'), 'utf8');
  for (const { id, what, against = '', ratio = 0 } of rows) {
    const line = page.split('\n').find((one) => {
      const cells = one.split('|').map((cell) => cell.trim());
      // A row of a table may have the date of its run.
      return cells[1] === id && cells[2]?.startsWith(what) && cells[4] === against;
    });
    const update = `${what}: update docs/performance.json and run npm run bench -- page`;
    assert.equal(line?.split('|')[6]?.trim(), ratio.toFixed(2), update);
  }
  for (const { ours, other = 0, ratio = 0, unit } of rows) {
    const expected = unit === '1/s' ? ours / other : other / ours;
    // The median of the rounds’ ratios, and not the ratio of the medians.
    assert.ok(Math.abs(ratio / expected - 1) < 0.25, `${ratio} instead of ${expected}`);
  }
});

test('a picture of ratios has a title, a description, and every row in words', () => {
  const peers = { against: 'A & <B>', other: 2 };
  const rows = [row(20, { ...peers, ratio: 10_000 }), row(1, { ...peers, ratio: 0.5 }), row(1)];
  const svg = plot(rows.filter(hasRatio), 'Ours & theirs');
  assert.match(svg, /<title id="t">Ours &amp; theirs<\/title>/);
  assert.match(
    svg,
    /<desc id="d">sign-ins: 10,000 times as good as A &amp; &lt;B&gt;\. sign-ins: 0\.50 /,
  );
  assert.match(svg, /aria-labelledby="t d"/);
  assert.equal(svg.match(/<rect class="(?:ahead|behind)"/g)?.length, 2);
  assert.ok(!svg.includes('NaN'));
});

test('two versions are compared by the medians of their runs, and a change within the spread is not marked', () => {
  const cost = (ours: number) => row(ours, { what: 'CPU of sign-ins', unit: 'µs' });
  const run = (...rows: Row[]) => ({ rows });
  const base = [run(row(100), cost(10)), run(row(104), cost(10)), run(row(60), cost(10))];
  const head = [run(row(80), cost(20)), run(row(81), cost(20)), run(row(82), cost(20))];
  const text = compareRuns(base, head);
  assert.match(text, /\| S1 +\| sign-ins +\| 100 1\/s +\| 81\.0 1\/s +\| −19 % +\| 44 % /);
  assert.match(
    text,
    /\| CPU of sign-ins +\| 10\.0 µs +\| 20\.0 µs +\| \+100 % \*\*worse\*\* +\| 0 % /,
  );
  assert.match(compareRuns([], head), /\| new +\|/);
});
