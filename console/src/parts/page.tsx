import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Props = {
  title: string;
  /** The list that the view belongs to. */
  back?: { to: string; text: string };
  about?: ReactNode;
  /** The buttons of the view. */
  actions?: ReactNode;
  children: ReactNode;
};

/** A view: its title, its purpose, its buttons and its content. */
export function Page({ title, back, about, actions, children }: Props) {
  useDocumentTitle(`${title} · Bailiwick`);
  return (
    <Stack gap="lg" maw={1040}>
      <Group justify="space-between" align="start" gap="sm">
        <div style={{ flex: '1 1 20rem' }}>
          {back && (
            <Anchor component={Link} to={back.to} size="sm">
              ← {back.text}
            </Anchor>
          )}
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
