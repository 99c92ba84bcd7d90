import { Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Facts about a record, each under its name. */
export const Facts = ({ facts }: { facts: ReadonlyArray<{ name: string; value: ReactNode }> }) => (
  <Paper withBorder p="md">
    <Group gap="xl" align="start">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <Text size="xs" c="dimmed">
            {name}
          </Text>
          <Text size="sm" component="div">
            {value}
          </Text>
        </div>
      ))}
    </Group>
  </Paper>
);
