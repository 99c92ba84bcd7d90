import { Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

type Props = {
  title: string;
  about?: ReactNode;
  /** The buttons of the view. */
  actions?: ReactNode;
  children: ReactNode;
};

/** A view: its title, its purpose, its buttons and its content. */
export function Page({ title, about, actions, children }: Props) {
  useDocumentTitle(`${title} · Bailiwick`);
  return (
    <Stack gap="lg" maw={1040}>
      <Group justify="space-between" align="start" gap="sm">
        <div style={{ flex: '1 1 20rem' }}>
          <Title order={1} size="h2">
            {title}
          </Title>
          {about !== undefined && (
            <Text c="dimmed" mt={4}>
              {about}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
