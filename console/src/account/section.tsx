import { Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { type ListAction, useListActions } from '../parts/list-actions.tsx';

type Props = { title: string; description: ReactNode; action?: ReactNode; children?: ReactNode };

/** A part of the view about the ways to sign in. */
export function Section({ title, description, action, children }: Props) {
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id}>
      <Stack gap="md">
        <Group justify="space-between" align="start" gap="sm">
          <div style={{ flex: '1 1 18rem' }}>
            <Title order={2} size="h4" id={id}>
              {title}
            </Title>
            <Text c="dimmed" component="div">
              {description}
            </Text>
          </div>
          {action}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}

type RecordsProps<Item> = {
  isLoading: boolean;
  items: readonly Item[];
  idOf: (item: Item) => string;
  nameOf: (item: Item) => string;
  /** The state of a record, beside its name. */
  stateOf?: (item: Item) => ReactNode;
  detailOf: (item: Item) => ReactNode;
  actions: ReadonlyArray<ListAction<Item>>;
};

/** The user's own records, each with its menu. */
export function Records<Item>(props: RecordsProps<Item>) {
  const { isLoading, items, idOf, nameOf, stateOf, detailOf, actions } = props;
  const { menuOf, dialog } = useListActions(actions);
  const list = useId();
  return (
    <>
      {isLoading && <Skeleton height={44} aria-busy="true" />}
      {items.map((record, at) => (
        <Group key={idOf(record)} justify="space-between" gap="sm" wrap="nowrap">
          <div style={{ flex: 1, minWidth: 0 }}>
            <Group gap="xs">
              <Text fw={600} id={`${list}${at}`}>
                {nameOf(record)}
              </Text>
              {stateOf?.(record)}
            </Group>
            <Text size="sm" c="dimmed" component="div">
              {detailOf(record)}
            </Text>
          </div>
          {menuOf(record, `${list}${at}`)}
        </Group>
      ))}
      {dialog}
    </>
  );
}
