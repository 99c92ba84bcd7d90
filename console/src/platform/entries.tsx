import { Text } from '@mantine/core';
import { actorTexts, type Entry, ResultBadge } from '../parts/audit-entry.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { Subject } from '../parts/person.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';

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
        if (ActorType === 'user' || ActorType === 'bot') return <Subject id={ActorID} />;
        const kind = actorTexts[ActorType];
        return <Text size="sm">{kind ? t(kind) : ActorType}</Text>;
      },
    },
    {
      id: 'result',
      header: t('audit.result'),
      isSecondary: true,
      cell: ({ Result }) => <ResultBadge of={Result} />,
    },
    {
      id: 'time',
      header: t('audit.when'),
      isSecondary: true,
      cell: ({ OccurredAt }) => <Time at={OccurredAt} />,
    },
  ];
}
