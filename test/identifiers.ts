import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { nodesIn, root } from './support/parsing.ts';

// Counts names of values and types that say how a value came about ("found") or nothing ("data") instead of which one it
// is ("row"). docs/glossary.md has the nouns. test/english.ts prints the counts and fails above a limit.

const participles = new Set(
  'about admitted answered asked begun done found given gone heard held kept known left made meant placed proven seen sent settled shown taken vouched wanted whose'.split(
    ' ',
  ),
);
const vague = new Set(['data', 'info', 'item', 'obj', 'thing', 'value']);

type Kind = 'participles' | 'vague names';
type Limits = Readonly<Record<Kind, number>>;

/** The most names per 1,000 lines of an area: what was measured last. Lower a limit when an area falls below it, to 0.5 at the least. */
const limits: Readonly<Record<string, Limits>> = {
  bench: { participles: 0.5, 'vague names': 0.5 },
  'console/src': { participles: 0.5, 'vague names': 0.5 },
  deploy: { participles: 0.5, 'vague names': 0.7 },
  gateway: { participles: 0.5, 'vague names': 0.5 },
  'packages/broker': { participles: 0.5, 'vague names': 0.5 },
  'packages/cli': { participles: 0.5, 'vague names': 0.7 },
  'packages/client': { participles: 0.5, 'vague names': 0.5 },
  'packages/contract': { participles: 0.5, 'vague names': 0.6 },
  'packages/egress': { participles: 0.5, 'vague names': 0.5 },
  'packages/errors': { participles: 0.5, 'vague names': 0.5 },
  'packages/keys': { participles: 0.5, 'vague names': 0.5 },
  'packages/outbox': { participles: 0.5, 'vague names': 0.5 },
  'packages/pipeline': { participles: 0.5, 'vague names': 0.5 },
  'packages/process': { participles: 0.5, 'vague names': 0.8 },
  'packages/server': { participles: 0.5, 'vague names': 0.7 },
  'packages/store': { participles: 0.5, 'vague names': 0.5 },
  'packages/texts': { participles: 0.5, 'vague names': 0.5 },
  'packages/wire': { participles: 0.5, 'vague names': 2.4 },
  'services/access': { participles: 0.5, 'vague names': 0.5 },
  'services/identity': { participles: 0.5, 'vague names': 0.5 },
  'services/notifications': { participles: 0.5, 'vague names': 0.5 },
  'services/sso': { participles: 0.5, 'vague names': 0.5 },
  site: { participles: 0.5, 'vague names': 0.5 },
  test: { participles: 0.5, 'vague names': 0.5 },
};

export type Name = { kind: Kind; file: string; number: number; text: string };
export type AreaCount = {
  area: string;
  kind: Kind;
  perThousand: number;
  limit: number;
  names: Name[];
};

const sources = [...new Set(Object.keys(limits).map((area) => area.split('/')[0]))].map(
  (folder) => `${folder}/**/*.{ts,tsx}`,
);

const areaOf = (file: string): string =>
  Object.keys(limits).find((area) => file.startsWith(`${area}/`)) ?? '';

/** The counts of each area, whose files are below a folder. */
export function countNames(below = ''): AreaCount[] {
  const exclude = (name: string) => /(^|\/)(node_modules|gen|dist)$|\.d\.ts$/.test(name);
  const files = globSync(sources, { cwd: root, exclude }).filter((file) => file.startsWith(below));
  const byArea = Map.groupBy(files, areaOf);
  return Object.entries(limits).flatMap(([area, limitOf]) => {
    const own = byArea.get(area) ?? [];
    const lines = own.reduce((sum, file) => sum + linesOf(file), 0);
    const names = own.flatMap(namesIn);
    return (['participles', 'vague names'] as const).map((kind): AreaCount => {
      const chosen = names.filter((name) => name.kind === kind);
      const perThousand = lines === 0 ? 0 : (chosen.length * 1000) / lines;
      return { area, kind, perThousand, limit: limitOf[kind], names: chosen };
    });
  });
}

const linesOf = (file: string): number =>
  readFileSync(path.join(root, file), 'utf8').split('\n').length - 1;

function namesIn(file: string): Name[] {
  const declared = nodesIn(file).flatMap((node): Array<[ts.Identifier, Kind]> => {
    const name = declaredName(node);
    const kind = name && kindOf(name.text, node);
    return name && kind ? [[name, kind]] : [];
  });
  return declared.map(([name, kind]) => {
    const { line } = name.getSourceFile().getLineAndCharacterOfPosition(name.getStart());
    return { kind, file, number: line + 1, text: name.text };
  });
}

/** The name of a variable, parameter, function or type. Parameters of function types only document. */
function declaredName(node: ts.Node): ts.Identifier | undefined {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    (ts.isParameter(node) && !ts.isFunctionTypeNode(node.parent)) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isClassDeclaration(node);
  return isDeclaration && node.name && ts.isIdentifier(node.name) ? node.name : undefined;
}

function kindOf(text: string, node: ts.Node): Kind | undefined {
  const word = text.charAt(0).toLowerCase() + text.slice(1);
  // left and right are the sides of a pair.
  if (word === 'left' && /\bright\b/.test(node.getSourceFile().text)) return undefined;
  if (participles.has(word)) return 'participles';
  return vague.has(word) && !hasNoNoun(node) ? 'vague names' : undefined;
}

/** A parameter of any type has no noun, nor the value of an entry. A destructured property has the name that its type gives it. */
const hasNoNoun = (node: ts.Node): boolean =>
  (ts.isParameter(node) && node.type?.kind === ts.SyntaxKind.UnknownKeyword) ||
  (ts.isBindingElement(node) && ts.isArrayBindingPattern(node.parent)) ||
  (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) && !node.propertyName);
