import type { Alias, Node } from 'libpg-query';

// Parts of the nodes in the tree of PostgreSQL's parser.

export const textOf = (node: Node | undefined): string =>
  node && 'String' in node ? (node.String.sval ?? '') : '';

export const isEquals = (node: Node) => textOf(node) === '=';

export const namesOf = (alias: Alias | undefined) => (alias?.colnames ?? []).map(textOf);

export const itemsOf = (node: Node | undefined): Node[] =>
  node && 'List' in node ? (node.List.items ?? []) : [];

export const partsOf = (node: Node): Node[] =>
  'RowExpr' in node ? (node.RowExpr.args ?? []) : [node];
