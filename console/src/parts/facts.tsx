import { Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Facts about a record, each under its name. */
export const Facts = ({ facts }: { facts: ReadonlyArray<{ name: string; value: ReactNode }> }) => (
  <Paper withBorder p="md">
    <Group gap="xl" align="start" component="dl" m={0}>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <Text size="xs" c="dimmed" component="dt">
            {name}
          </Text>
          <Text size="sm" component="dd" m={0}>
            {value}
          </Text>
        </div>
      ))}
    </Group>
  </Paper>
);
