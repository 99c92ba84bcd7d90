import { escape, picture } from '@bailiwick/test/support/picture.ts';
import { type Row } from './bench.ts';
import { short } from './report.ts';

// Rows with a ratio as a picture: one bar each, on a logarithmic axis. A bar to the right of the line
// at 1 means that Bailiwick is ahead.

type Ratio = Row & { against: string; other: number; ratio: number };

export const hasRatio = (row: Row): row is Ratio =>
  row.against !== undefined && row.other !== undefined && row.ratio !== undefined;

const width = 880;
const rowHeight = 46;
const top = 58;
/** The axis, from a tenth to ten times. Larger ratios end at its border, with an arrow. */
const axis = { left: 330, right: 700, least: 0.1, most: 10 };
const ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10];

const clamp = (ratio: number) => Math.min(axis.most, Math.max(axis.least, ratio));
function positionOf(ratio: number): number {
  const share = Math.log(clamp(ratio) / axis.least) / Math.log(axis.most / axis.least);
  return Math.round(axis.left + share * (axis.right - axis.left));
}

/** `3.14`, and `130,000` for a ratio that needs no decimals. */
export const times = (ratio: number): string =>
  ratio >= 100 ? Number(ratio.toPrecision(2)).toLocaleString('en') : ratio.toFixed(2);

export function plot(rows: readonly Ratio[], title: string): string {
  const height = top + rows.length * rowHeight + 34;
  const description = rows.map(
    ({ what, against, ratio }) => `${what}: ${times(ratio)} times as good as ${against}.`,
  );
  return picture({
    width,
    height,
    title,
    description: description.join(' '),
    light: [
      '.grid { stroke: #d0d7de } .equal { stroke: #57606a; stroke-width: 1.5 }',
      '.ahead { fill: #1a7f37 } .behind { fill: #bc4c00 }',
    ],
    dark: [
      '.grid { stroke: #30363d } .equal { stroke: #9198a1 }',
      '.ahead { fill: #3fb950 } .behind { fill: #f0883e }',
    ],
    body: [
      `  <text class="small" x="${positionOf(1) - 8}" y="${top - 14}" text-anchor="end">behind</text><text class="small" x="${positionOf(1) + 8}" y="${top - 14}">ahead</text>`,
      ...ticks.map((tick) => tickAt(tick, height)),
      ...rows.flatMap((row, index) => bar(row, top + index * rowHeight)),
    ],
  });
}

function tickAt(tick: number, height: number): string {
  const at = positionOf(tick);
  const bottom = height - 30;
  return `  <line class="${tick === 1 ? 'equal' : 'grid'}" x1="${at}" y1="${top - 8}" x2="${at}" y2="${bottom}"/><text class="small" x="${at}" y="${bottom + 18}" text-anchor="middle">${tick} ×</text>`;
}

function bar({ what, against, unit, ours, other, ratio }: Ratio, y: number): string[] {
  const [from, to] = [positionOf(1), positionOf(ratio)];
  const kind = ratio >= 1 ? 'ahead' : 'behind';
  const arrow =
    ratio > axis.most ? `<path class="${kind}" d="M${to} ${y + 1} l12 10 -12 10z"/>` : '';
  const length = Math.max(2, Math.abs(to - from));
  return [
    `  <text class="text" x="20" y="${y + 10}">${escape(what)}</text><text class="small" x="20" y="${y + 27}">against ${escape(against)}</text>`,
    `  <rect class="${kind}" x="${Math.min(from, to)}" y="${y + 4}" width="${length}" height="14" rx="2"/>${arrow}`,
    `  <text class="text" x="720" y="${y + 10}" font-weight="600">${times(ratio)} ×</text><text class="small" x="720" y="${y + 27}">${short(ours)} : ${short(other)} ${escape(unit)}</text>`,
  ];
}
