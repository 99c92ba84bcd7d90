/** The part of a group's record that the tree shows. */
export type GroupRecord = { Path: string; Name: string; Description: string };

/** A place in the tree. It has no group if only groups below it exist. */
export type Node = {
  /** The path without letter case, which is unique. */
  key: string;
  path: string;
  name: string;
  group: GroupRecord | undefined;
  children: Node[];
};

/** The groups as a tree, each level in the order of the names. */
export function treeOf(groups: readonly GroupRecord[]): Node[] {
  const roots: Node[] = [];
  const byKey = new Map<string, Node>();
  const place = (path: string): Node => {
    const key = path.toLowerCase();
    const existing = byKey.get(key);
    if (existing) return existing;
    const cut = path.lastIndexOf('/');
    const name = path.slice(cut + 1);
    const node: Node = { key, path, name, group: undefined, children: [] };
    byKey.set(key, node);
    (cut < 0 ? roots : place(path.slice(0, cut)).children).push(node);
    return node;
  };
  for (const group of groups) {
    const node = place(group.Path);
    node.group = group;
    node.path = group.Path;
    node.name = group.Name || node.name;
  }
  const sort = (nodes: Node[]): void => {
    nodes.sort((one, other) => one.name.localeCompare(other.name));
    for (const { children } of nodes) sort(children);
  };
  sort(roots);
  return roots;
}

/** A row of the tree as it is shown: a place, or the rest of a level that is too long to show. */
export type Row = {
  level: number;
  position: number;
  size: number;
  parent: string;
} & ({ node: Node } | { node: undefined; hidden: number });

/** How many rows of one level are shown at first, and are added by each request for more. */
export const levelStep = 100;

/** The rows below open places, from top to bottom. `limits`: the most rows of a level, by its parent. */
export function rowsOf(
  nodes: readonly Node[],
  open: ReadonlySet<string>,
  limits: ReadonlyMap<string, number>,
  parent = '',
  level = 1,
): Row[] {
  const most = limits.get(parent) ?? levelStep;
  const size = nodes.length;
  const rows = nodes
    .slice(0, most)
    .flatMap((node, at): Row[] => [
      { node, level, position: at + 1, size, parent },
      ...(open.has(node.key) ? rowsOf(node.children, open, limits, node.key, level + 1) : []),
    ]);
  if (size > most)
    rows.push({ node: undefined, hidden: size - most, level, position: most + 1, size, parent });
  return rows;
}
