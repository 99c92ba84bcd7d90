import { readFileSync } from 'node:fs';
import process from 'node:process';

// Shows where a process spent its time, from a file of `--cpu-prof`:
//
//   npm run bench -- G4 --profile /tmp/profiles
//   node bench/profile.ts /tmp/profiles/<file>.cpuprofile [rows]

type Frame = { functionName: string; url: string; lineNumber: number };
type Profile = {
  nodes: Array<{ id: number; callFrame: Frame; children?: number[] }>;
  samples: number[];
  timeDeltas: number[];
};

const [file = '', rows = '25'] = process.argv.slice(2);
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
const own = new Map<number, number>();
for (const [index, id] of samples.entries())
  own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0));
const byId = new Map(nodes.map((node) => [node.id, node]));
const isIdle = ({ callFrame }: { callFrame: Frame }) =>
  callFrame.functionName === '(idle)' || callFrame.functionName === '(program)';
const busy = nodes.reduce((total, node) => total + (isIdle(node) ? 0 : (own.get(node.id) ?? 0)), 0);

/** A package, or a folder of the product. */
function placeOf({ url, functionName }: Frame): string {
  if (url === '') return functionName === '(garbage collector)' ? 'garbage collector' : 'engine';
  const parts = url.split('/node_modules/');
  const [scope = '', name = ''] = (parts.length > 1 ? parts.at(-1) : undefined)?.split('/') ?? [];
  if (scope !== '') return scope.startsWith('@') ? `${scope}/${name}` : scope;
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/');
  return url.replace(/^.*\/(?=(proto|services|gateway|deploy|test)\/)/, '');
}

function table(title: string, entries: Map<string, number>): void {
  process.stdout.write(`\n${title}\n`);
  for (const [name, micros] of [...entries]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, Number(rows))) {
    process.stdout.write(`${((100 * micros) / busy).toFixed(1).padStart(6)} %  ${name}\n`);
  }
}

const add = (map: Map<string, number>, key: string, micros: number) =>
  map.set(key, (map.get(key) ?? 0) + micros);
const [places, functions, whole] = [
  new Map<string, number>(),
  new Map<string, number>(),
  new Map<string, number>(),
];
for (const node of nodes.filter((each) => !isIdle(each))) {
  const { callFrame } = node;
  add(places, placeOf(callFrame), own.get(node.id) ?? 0);
  add(
    functions,
    `${callFrame.functionName || '(anonymous)'} ${placeOf(callFrame)}:${callFrame.lineNumber + 1}`,
    own.get(node.id) ?? 0,
  );
}

/**
 * Adds the time of a function with all its callees to each of the product's functions on the stack;
 * a recursion counts once.
 */
function visit(id: number, above: ReadonlySet<string>): number {
  const node = byId.get(id);
  if (!node) return 0;
  const name = `${node.callFrame.functionName || '(anonymous)'} ${placeOf(node.callFrame)}:${node.callFrame.lineNumber + 1}`;
  const stack = new Set(above).add(name);
  const total =
    (isIdle(node) ? 0 : (own.get(id) ?? 0)) +
    (node.children ?? []).reduce((sum, child) => sum + visit(child, stack), 0);
  if (!above.has(name)) add(whole, name, total);
  return total;
}
visit(nodes[0]?.id ?? 0, new Set());

process.stdout.write(`busy for ${(busy / 1e6).toFixed(2)} s\n`);
table('own time by place', places);
table('own time by function', functions);
table('time with callees', whole);
