import { Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

type Props = { title: string; about: ReactNode; action?: ReactNode; children?: ReactNode };

/** A part of the view about the ways to sign in. */
export function Section({ title, about, action, children }: Props) {
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
              {about}
            </Text>
          </div>
          {action}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}

type RowProps = { name: ReactNode; about: ReactNode; children?: ReactNode };

/** A record of the user's own, with its buttons. */
export const Row = ({ name, about, children }: RowProps) => (
  <Group justify="space-between" gap="sm">
    <div style={{ flex: '1 1 16rem', minWidth: 0 }}>
      <Group gap="xs">{name}</Group>
      <Text size="sm" c="dimmed" component="div">
        {about}
      </Text>
    </div>
    <Group gap={4}>{children}</Group>
  </Group>
);

/** Stands for records that are loading. */
export const RowSkeleton = () => <Skeleton height={44} aria-busy="true" />;
