import type { ItemOf } from '@bailiwick/client/client.ts';
import { Code } from '@mantine/core';
import { Fragment } from 'react';
import { State } from './state.tsx';
import type { TextKey } from './text-keys.ts';
import { useTexts } from './texts.tsx';

export type Entry = ItemOf<'Audit_List'>;

const results: Readonly<Record<string, { text: TextKey; color: string }>> = {
  success: { text: 'audit.success', color: 'teal.9' },
  denied: { text: 'audit.denied', color: 'red.9' },
  failed: { text: 'audit.failed', color: 'red.9' },
};

export function ResultBadge({ of }: { of: string }) {
  const { t } = useTexts();
  const badge = results[of];
  return <State color={badge?.color ?? 'gray.7'}>{badge ? t(badge.text) : of}</State>;
}

/** The kinds of actors. */
export const actorTexts: Readonly<Record<string, TextKey>> = {
  user: 'audit.user',
  bot: 'audit.bot',
  platform: 'audit.platform',
  system: 'audit.system',
  anonymous: 'audit.anonymous',
};

/** An action, which breaks after its dots and underscores only. */
export const ActionName = ({ name }: { name: string }) => (
  <Code style={{ overflowWrap: 'break-word' }}>
    {name.split(/(?<=[._])/).map((part) => (
      <Fragment key={part}>
        {part}
        <wbr />
      </Fragment>
    ))}
  </Code>
);
