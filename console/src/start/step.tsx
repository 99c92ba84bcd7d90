import { Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';

type Props = {
  icon: IconName;
  title: string;
  description: string;
  children?: ReactNode;
};

/** One thing to do next: why, the way to it, and the call behind it. */
export function Step({ icon, title, description, children }: Props) {
  return (
    <Paper withBorder p="lg" component="li">
      <Group align="start" wrap="nowrap" gap="md">
        <ThemeIcon size={40} radius="xl" variant="light" color="accent" visibleFrom="xs">
          <Icon name={icon} size={20} />
        </ThemeIcon>
        <Stack gap="xs" flex={1} miw={0}>
          <Title order={2} size="h4">
            {title}
          </Title>
          <Text c="dimmed">{description}</Text>
          {children}
        </Stack>
      </Group>
    </Paper>
  );
}

export const Steps = ({ children }: { children: ReactNode }) => (
  <Stack component="ol" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
    {children}
  </Stack>
);
