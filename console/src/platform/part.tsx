import { Stack, Title } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import type { CursorPlace } from '../parts/cursor.ts';

/** One part of a page about a tenant or a user. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <Stack component="section" gap="xs" aria-labelledby={id}>
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}

/** The cursor of a list that is one part of a page. */
export function usePlace(): CursorPlace {
  const [cursor, onCursor] = useState('');
  return { cursor, onCursor };
}
