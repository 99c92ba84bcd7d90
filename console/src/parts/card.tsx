import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = { title: string; description: string; children: ReactNode };

/** A part of a view with a border around it. */
export const Card = ({ title, description, children }: Props) => (
  <Paper withBorder p="lg" component="section" aria-label={title}>
    <Stack>
      <div>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed" size="sm">
          {description}
        </Text>
      </div>
      {children}
    </Stack>
  </Paper>
);
