import type { ItemOf } from '@bailiwick/client/client.ts';
import { Text } from '@mantine/core';
import type { Column } from '../parts/cursor-list.tsx';
import { Subject } from '../parts/person.tsx';
import { StateOf, type States } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';

type Entry = ItemOf<'Audit_List'>;

const results: States = {
  success: { text: 'audit.success', color: 'teal.9' },
  denied: { text: 'audit.denied', color: 'red.9' },
  failed: { text: 'audit.failed', color: 'red.9' },
};

const kinds: Readonly<Record<string, TextKey>> = {
  platform: 'audit.platform',
  system: 'audit.system',
  anonymous: 'audit.anonymous',
};

/** The columns of audit entries, also of tenants that the operator is no member of. */
export function useEntryColumns(): Column<Entry>[] {
  const { t } = useTexts();
  return [
    {
      id: 'action',
      header: t('audit.action'),
      cell: ({ Action, Operation, Targets, Changes, OccurredAt }) => (
        <>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {Action || Operation}
          </Text>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {Targets.map(({ Name, ID }) => Name || ID).join(', ')}
          </Text>
          {Changes.filter(({ Field }) => Field === 'Reason').map(({ Field, New }) => (
            <Text key={Field} size="xs" style={{ overflowWrap: 'anywhere' }}>
              {t('support.reason')}: {New}
            </Text>
          ))}
          <Text size="xs" component="div" hiddenFrom="sm">
            <Time at={OccurredAt} />
          </Text>
        </>
      ),
    },
    {
      id: 'actor',
      header: t('audit.actor'),
      isSecondary: true,
      cell: ({ ActorType, ActorID }) => {
        const kind = kinds[ActorType];
        if (ActorID !== '' && kind === undefined) return <Subject id={ActorID} />;
        return <Text size="sm">{kind ? t(kind) : ActorType}</Text>;
      },
    },
    {
      id: 'result',
      header: t('audit.result'),
      isSecondary: true,
      cell: ({ Result }) => <StateOf states={results} state={Result} />,
    },
    {
      id: 'time',
      header: t('audit.when'),
      isSecondary: true,
      cell: ({ OccurredAt }) => <Time at={OccurredAt} />,
    },
  ];
}
