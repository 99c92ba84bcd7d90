import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

type Props = { title: string; description?: string; actions?: ReactNode; children: ReactNode };

/** A part of a view about one record, with its own heading and buttons. */
export function PageSection({ title, description, actions, children }: Props) {
  const heading = useId();
  return (
    <Stack gap="sm" component="section" aria-labelledby={heading}>
      <Group justify="space-between" align="start" gap="sm">
        <div style={{ flex: '1 1 16rem' }}>
          <Title order={2} size="h4" id={heading}>
            {title}
          </Title>
          {description !== undefined && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
