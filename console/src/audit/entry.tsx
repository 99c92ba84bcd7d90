import type { ItemOf } from '@bailiwick/client/client.ts';
import { Badge } from '@mantine/core';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';

export type Entry = ItemOf<'Audit_List'>;

const results: Readonly<Record<string, { text: TextKey; color: string }>> = {
  success: { text: 'audit.success', color: 'teal.9' },
  denied: { text: 'audit.denied', color: 'red.9' },
  failed: { text: 'audit.failed', color: 'red.9' },
};

export function ResultBadge({ of }: { of: string }) {
  const { t } = useTexts();
  const known = results[of];
  return (
    <Badge color={known?.color ?? 'gray.7'} tt="none">
      {known ? t(known.text) : of}
    </Badge>
  );
}
