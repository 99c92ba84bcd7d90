import { escape, picture } from '../support/picture.ts';

// The number of pods over time as a picture, above the backlog that they work on.

export type Sample = { seconds: number; backlog: number; pods: Readonly<Record<string, number>> };

const width = 880;
const left = 70;
const right = 850;
const pods = { top: 60, bottom: 190 };
const backlog = { top: 240, bottom: 370 };
const height = 420;
/** Colours of the lines on light and dark pages. */
const colours = [
  ['#0969da', '#58a6ff'],
  ['#bc4c00', '#f0883e'],
] as const;

export function curve(samples: readonly Sample[], title: string): string {
  const names = Object.keys(samples[0]?.pods ?? {});
  const end = Math.max(1, samples.at(-1)?.seconds ?? 0);
  const mostPods = Math.max(1, ...samples.flatMap((sample) => Object.values(sample.pods)));
  const mostBacklog = Math.max(1, ...samples.map((sample) => sample.backlog));
  const x = (seconds: number) => Math.round(left + (seconds / end) * (right - left));
  const within = ({ top, bottom }: { top: number; bottom: number }, share: number) =>
    Math.round(bottom - share * (bottom - top));
  const yOfPods = (count: number) => within(pods, count / mostPods);
  const yOfBacklog = (count: number) => within(backlog, count / mostBacklog);
  /** Pods change at once, so their lines have steps. */
  const steps = (name: string) =>
    samples.map(({ seconds, pods: now }, index) => {
      const y = yOfPods(now[name] ?? 0);
      return index === 0 ? `M${x(seconds)} ${y}` : `H${x(seconds)} V${y}`;
    });
  const description = `${describe(samples, names)} The backlog has ${mostBacklog} deliveries at most, and ${samples.at(-1)?.backlog ?? 0} at the end.`;
  return picture({
    width,
    height,
    title,
    description,
    light: ['.grid { stroke: #d0d7de }', linesIn(0, names.length)],
    dark: ['.grid { stroke: #30363d }', linesIn(1, names.length)],
    body: [
      ...names.map(
        (name, index) =>
          `  <text class="label${index}" x="${left + index * 260}" y="${pods.top - 10}">ready pods of ${escape(name)}</text>`,
      ),
      ...Array.from({ length: mostPods + 1 }, (_, count) => lineAt(yOfPods(count), String(count))),
      ...names.map((name, index) => `  <path class="line${index}" d="${steps(name).join(' ')}"/>`),
      `  <text class="text" x="${left}" y="${backlog.top - 10}">deliveries that wait</text>`,
      ...[0, 0.5, 1].map((share) =>
        lineAt(within(backlog, share), Math.round(share * mostBacklog).toLocaleString('en')),
      ),
      `  <path class="line1" d="M${samples.map((sample) => `${x(sample.seconds)} ${yOfBacklog(sample.backlog)}`).join(' L')}"/>`,
      ...minutes(end).map(
        (minute) =>
          `  <text class="small" x="${x(minute * 60)}" y="${backlog.bottom + 22}" text-anchor="middle">${minute} min</text>`,
      ),
    ],
  });
}

/** Every change of the number of pods in words. */
function describe(samples: readonly Sample[], names: readonly string[]): string {
  const changes = names.map((name) => {
    const counts = samples.map(({ seconds, pods: now }) => ({ seconds, count: now[name] ?? 0 }));
    const changed = counts.filter(
      ({ count }, index) => index === 0 || count !== counts[index - 1]?.count,
    );
    return `${name}: ${changed.map(({ seconds, count }) => `${count} ${count === 1 ? 'pod' : 'pods'} at ${seconds} s`).join(', ')}.`;
  });
  return changes.join(' ');
}

const minutes = (seconds: number): number[] => {
  const step = Math.max(1, Math.ceil(seconds / 60 / 12));
  return Array.from({ length: Math.floor(seconds / 60 / step) + 1 }, (_, turn) => turn * step);
};

const lineAt = (y: number, label: string): string =>
  `  <line class="grid" x1="${left}" y1="${y}" x2="${right}" y2="${y}"/><text class="small" x="${left - 8}" y="${y + 4}" text-anchor="end">${label}</text>`;

/** The rules of the lines and their labels, on light (0) or dark (1) pages. */
const linesIn = (page: 0 | 1, count: number): string =>
  colours
    .slice(0, count)
    .map(
      (pair, index) =>
        `.line${index} { stroke: ${pair[page]}; stroke-width: 2; fill: none } .label${index} { fill: ${pair[page]} }`,
    )
    .join(' ');
