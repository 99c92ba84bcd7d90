import { Box, Group, Paper, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { type GroupRecord, levelStep, type Node, type Row, rowsOf, treeOf } from './tree.ts';

const keyOf = (row: Row) => row.node?.key ?? `${row.parent}/…`;

/**
 * Groups as a tree for the keyboard: arrows move, open and close; Enter shows a group. Closed
 * levels are not drawn, so thousands of groups do not slow it down.
 */
export function GroupTree({ groups }: { groups: readonly GroupRecord[] }) {
  const { t } = useTexts();
  const tree = useMemo(() => treeOf(groups), [groups]);
  const { rows, current, setCurrent, toggle, showMore, isOpen } = useRows(tree);
  const list = useRef<HTMLDivElement>(null);
  const go = (row: Row | undefined) => {
    if (!row) return;
    setCurrent(keyOf(row));
    const items = list.current?.querySelectorAll<HTMLElement>('[role=treeitem]');
    items?.[rows.indexOf(row)]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = rows.findIndex((row) => keyOf(row) === current);
    const row = rows[Math.max(at, 0)];
    const act = row && actionOf(event.key, rows, row, isOpen);
    if (!act) return;
    event.preventDefault();
    if (act.kind === 'toggle') toggle(act.node);
    else go(act.row);
  };
  return (
    <Paper withBorder p={4}>
      <Box ref={list} role="tree" aria-label={t('access.groups')} onKeyDown={onKeyDown}>
        {rows.map((row) => (
          <TreeItem
            key={keyOf(row)}
            row={row}
            isOpen={row.node !== undefined && isOpen(row.node)}
            isCurrent={keyOf(row) === current}
            onFocus={() => setCurrent(keyOf(row))}
            onToggle={() => row.node && toggle(row.node)}
            onMore={() => showMore(row.parent)}
          />
        ))}
      </Box>
    </Paper>
  );
}

function useRows(tree: readonly Node[]) {
  // A small tree is open at first.
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(tree.length <= 10 ? tree.map(({ key }) => key) : []),
  );
  const [limits, setLimits] = useState<ReadonlyMap<string, number>>(new Map());
  const [chosen, setCurrent] = useState('');
  const rows = rowsOf(tree, open, limits);
  const first = rows[0];
  const isVisible = rows.some((row) => keyOf(row) === chosen);
  return {
    rows,
    current: isVisible || !first ? chosen : keyOf(first),
    setCurrent,
    isOpen: ({ key }: Node) => open.has(key),
    toggle({ key, children }: Node) {
      if (children.length === 0) return;
      setOpen((before) => {
        const next = new Set(before);
        if (!next.delete(key)) next.add(key);
        return next;
      });
    },
    showMore: (parent: string) =>
      setLimits((before) =>
        new Map(before).set(parent, (before.get(parent) ?? levelStep) + levelStep),
      ),
  };
}

type Action = { kind: 'toggle'; node: Node } | { kind: 'go'; row: Row | undefined };

/** The action of a key at a row, by the ARIA pattern of a tree. */
function actionOf(
  key: string,
  rows: readonly Row[],
  row: Row,
  isOpen: (node: Node) => boolean,
): Action | undefined {
  const at = rows.indexOf(row);
  const { node } = row;
  const hasChildren = node !== undefined && node.children.length > 0;
  const parent = rows.find((one) => one.node?.key === row.parent);
  const go = (to: Row | undefined): Action => ({ kind: 'go', row: to });
  switch (key) {
    case 'ArrowDown':
      return go(rows[at + 1]);
    case 'ArrowUp':
      return go(rows[at - 1]);
    case 'Home':
      return go(rows[0]);
    case 'End':
      return go(rows.at(-1));
    case 'ArrowRight':
      if (!hasChildren) return undefined;
      return isOpen(node) ? go(rows[at + 1]) : { kind: 'toggle', node };
    case 'ArrowLeft':
      return hasChildren && isOpen(node) ? { kind: 'toggle', node } : go(parent);
    default:
      return undefined;
  }
}

type TreeItemProps = {
  row: Row;
  isOpen: boolean;
  isCurrent: boolean;
  onFocus: () => void;
  onToggle: () => void;
  onMore: () => void;
};

function TreeItem({ row, isOpen, isCurrent, onFocus, onToggle, onMore }: TreeItemProps) {
  const { t } = useTexts();
  const { Slug } = useTenant();
  const { node, level, position, size } = row;
  const attributes = {
    role: 'treeitem',
    'aria-level': level,
    'aria-posinset': position,
    'aria-setsize': size,
    tabIndex: isCurrent ? 0 : -1,
    onFocus,
    display: 'block',
    px: 8,
    py: 6,
  } as const;
  const inner = (children: ReactNode) => (
    <Group gap={4} wrap="nowrap" pl={Math.min(level - 1, 8) * 20}>
      {children}
    </Group>
  );
  if (!node)
    return (
      <UnstyledButton {...attributes} onClick={onMore}>
        {inner(<Text size="sm">{t('access.andMore', { count: String(row.hidden) })}</Text>)}
      </UnstyledButton>
    );
  const hasChildren = node.children.length > 0;
  const state = hasChildren ? { 'aria-expanded': isOpen } : {};
  const content = inner(
    <>
      <Toggle isOpen={isOpen} isVisible={hasChildren} onToggle={onToggle} />
      <Text size="sm" fw={600} {...(!node.group && { c: 'dimmed' })}>
        {node.name}
      </Text>
      <Text size="xs" c="dimmed" truncate visibleFrom="sm">
        {node.group?.Description || node.path}
      </Text>
    </>,
  );
  if (!node.group)
    return (
      <UnstyledButton {...attributes} {...state} onClick={onToggle}>
        {content}
      </UnstyledButton>
    );
  return (
    <UnstyledButton
      {...attributes}
      {...state}
      component={Link}
      to={`/console/t/${Slug}/groups?group=${encodeURIComponent(node.group.Path)}`}
    >
      {content}
    </UnstyledButton>
  );
}

type ToggleProps = { isOpen: boolean; isVisible: boolean; onToggle: () => void };

/** Opens and closes a place with the mouse. The keyboard uses the arrows. */
const Toggle = ({ isOpen, isVisible, onToggle }: ToggleProps) => (
  <Box
    component="span"
    aria-hidden
    w={24}
    h={24}
    data-toggle
    style={{
      flex: 'none',
      display: 'grid',
      placeItems: 'center',
      visibility: isVisible ? 'visible' : 'hidden',
      transform: isOpen ? undefined : 'rotate(-90deg)',
    }}
    onClick={(event) => {
      event.preventDefault();
      event.stopPropagation();
      onToggle();
    }}
  >
    <Icon name="chevron" size={16} />
  </Box>
);
