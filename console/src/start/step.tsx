import { Badge, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';

type Props = {
  icon: IconName;
  title: string;
  description: string;
  isDone?: boolean;
  children?: ReactNode;
};

/** One thing to do next: why, the way to it, and the call behind it. */
export function Step({ icon, title, description, isDone = false, children }: Props) {
  const { t } = useTexts();
  return (
    <Paper withBorder p="lg" component="li">
      <Group align="start" wrap="nowrap" gap="md">
        <ThemeIcon
          size={40}
          radius="xl"
          variant="light"
          color={isDone ? 'teal' : 'accent'}
          visibleFrom="xs"
        >
          <Icon name={isDone ? 'check' : icon} size={20} />
        </ThemeIcon>
        <Stack gap="xs" flex={1} miw={0}>
          <Group gap="xs">
            <Title order={2} size="h4">
              {title}
            </Title>
            {isDone && (
              <Badge color="teal.9" variant="filled">
                {t('start.done')}
              </Badge>
            )}
          </Group>
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
