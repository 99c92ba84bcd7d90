import { globSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { nodesIn, nodesOf, parse, root } from './parsing.ts';

// Extracts the SQL statements of a queries.ts. Their texts must be constant.

export type SqlStatement = {
  /** The name of a prepared statement, or `<file>:<function>` of a statement in a transaction. */
  name: string;
  text: string;
  /** The reasons of its marks, of which a statement without a name has none. */
  across?: string | undefined;
  between?: string | undefined;
};

/**
 * Every statement of a source text. `file`: its path from the root, which imports start from and
 * which is part of the names of unnamed statements.
 */
export function statementsOf(file: string, source: string): SqlStatement[] {
  const nodes = nodesOf(parse(source));
  const constants: Constants = new Map(
    [...importedBy(file, nodes), ...nodes].flatMap((node) =>
      ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer
        ? [[node.name.text, node.initializer]]
        : [],
    ),
  );
  // Functions that run a statement for others pass on a parameter of this name.
  const runners = nodes
    .filter(ts.isFunctionDeclaration)
    .filter(({ parameters }) => parameters[1]?.name.getText() === 'sql')
    .map(({ name }) => name?.text ?? '');
  return nodes.flatMap((node) => {
    if (ts.isObjectLiteralExpression(node)) {
      const property = (name: string) => {
        const value = propertyOf(node, name);
        return value && textOf(value, constants);
      };
      if (!propertyOf(node, 'text')) return [];
      const [name, text] = [property('name'), property('text')];
      return name && text
        ? [{ name, text, across: property('across'), between: property('between') }]
        : [];
    }
    if (!ts.isCallExpression(node)) return [];
    const isRunner = runners.includes(node.expression.getText());
    if (!isRunner && node.expression.getText() !== 'tx.query') return [];
    const text = node.arguments[isRunner ? 1 : 0] ?? node;
    if (runners.includes(functionAround(node)) && text.getText() === 'sql') return [];
    const name = `${file}:${functionAround(node)}`;
    // A prepared statement is listed where it is declared.
    return choicesOf(text, constants)
      .filter((choice) => !ts.isObjectLiteralExpression(choice))
      .map((choice) => ({ name, text: textOf(choice, constants) }));
  });
}

/** The declarations of the modules that a file imports: a constant may be made of others there. */
const importedBy = (file: string, nodes: ts.Node[]): ts.Node[] =>
  nodes
    .filter(ts.isImportDeclaration)
    .flatMap(({ moduleSpecifier }) => sourcesOf(file, (moduleSpecifier as ts.StringLiteral).text))
    .flatMap(nodesIn);

/** The files that a module's exports may be declared in. */
function sourcesOf(file: string, module: string): string[] {
  if (module.startsWith('.')) return [path.join(path.dirname(file), module)];
  const [, name] = /^@bailiwick\/([a-z-]+)$/.exec(module) ?? [];
  return name ? globSync(`packages/${name}/*.ts`, { cwd: root }) : [];
}

type Constants = ReadonlyMap<string, ts.Expression | string>;

/** The expressions that a conditional expression, or a constant of one, chooses from. */
function choicesOf(node: ts.Node, constants: Constants): ts.Node[] {
  const value = constants.get(node.getText());
  if (value !== undefined && typeof value !== 'string') return choicesOf(value, constants);
  return ts.isConditionalExpression(node)
    ? [node.whenTrue, node.whenFalse].flatMap((choice) => choicesOf(choice, constants))
    : [node];
}

/** The text of a constant expression: literals, constants, and functions of such texts. */
function textOf(node: ts.Node | string, constants: Constants): string {
  if (typeof node === 'string') return node;
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (text, { expression, literal }) => text + textOf(expression, constants) + literal.text,
      node.head.text,
    );
  const value = constants.get(
    ts.isCallExpression(node) ? node.expression.getText() : node.getText(),
  );
  if (value === undefined) throw new Error(`SQL is not constant: ${node.getText()}`);
  if (!ts.isCallExpression(node)) return textOf(value, constants);
  if (typeof value === 'string' || !ts.isArrowFunction(value))
    throw new Error(`SQL is not constant: ${node.getText()}`);
  const bindings = value.parameters.map(({ name }, index): [string, string] => [
    name.getText(),
    textOf(node.arguments[index] ?? node, constants),
  ]);
  return textOf(value.body, new Map([...constants, ...bindings]));
}

const propertyOf = (node: ts.ObjectLiteralExpression, name: string) =>
  node.properties.filter(ts.isPropertyAssignment).find((one) => one.name.getText() === name)
    ?.initializer;

function functionAround(node: ts.Node): string {
  const around = ts.findAncestor(node, ts.isFunctionLike);
  if (around && !ts.isFunctionDeclaration(around) && !ts.isVariableDeclaration(around.parent))
    return functionAround(around.parent);
  const { name } =
    (around && ts.isVariableDeclaration(around.parent) ? around.parent : around) ?? {};
  return name?.getText() ?? '';
}
