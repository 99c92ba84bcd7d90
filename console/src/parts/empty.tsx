import { Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

type Props = { icon: IconName; title: string; description: string; children?: ReactNode };

/** Stands in place of an empty list, and says its purpose and how to begin. */
export const Empty = ({ icon, title, description, children }: Props) => (
  <Paper withBorder p="xl">
    <Stack align="center" gap="xs" ta="center">
      <ThemeIcon size={44} radius="xl" variant="light">
        <Icon name={icon} size={22} />
      </ThemeIcon>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw={460}>
        {description}
      </Text>
      {children}
    </Stack>
  </Paper>
);
