import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

// The syntax trees of TypeScript and JavaScript files, from the compiler's own parser.

export const root = path.resolve(import.meta.dirname, '../..');

export const parse = (text: string, name = 'file.ts'): ts.SourceFile =>
  ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);

/** A node and all nodes below it. */
export function nodesOf(node: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (one: ts.Node) => {
    nodes.push(one);
    ts.forEachChild(one, visit);
  };
  visit(node);
  return nodes;
}

/** All nodes of a file, by its path from the root. */
export function nodesIn(file: string): ts.Node[] {
  const nodes =
    files.get(file) ?? nodesOf(parse(readFileSync(path.join(root, file), 'utf8'), file));
  files.set(file, nodes);
  return nodes;
}
const files = new Map<string, ts.Node[]>();

/** `isDynamic`: loaded while the program runs, with `import(…)`. */
export type Import = { from: string; isType: boolean; isDynamic: boolean };

/** The modules that a file imports or re-exports. Node strips the imports of types. */
export function importsOf(file: string): Import[] {
  return nodesIn(file).flatMap((node) => {
    if (ts.isImportDeclaration(node))
      return importOf(node.moduleSpecifier, node.importClause?.isTypeOnly);
    if (ts.isExportDeclaration(node)) return importOf(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      return importOf(node.argument.literal, true);
    return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
      ? importOf(node.arguments[0], false, true)
      : [];
  });
}

const importOf = (from: ts.Node | undefined, isType = false, isDynamic = false): Import[] =>
  from && ts.isStringLiteralLike(from) ? [{ from: from.text, isType, isDynamic }] : [];
