import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ResultBadge } from '../parts/audit-entry.tsx';
import { Sentence } from '../parts/audit-sentence.tsx';
import { usePartCursor } from '../parts/cursor.ts';
import { ListView } from '../parts/list-view.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';

/** The last acts of a member, and the ways to the audit. */
export function MemberEvents({ user }: { user: string }) {
  const { t } = useTexts();
  const { ID: Tenant, Slug, may } = useTenant();
  const place = usePartCursor();
  const audit = `/console/t/${Slug}/audit`;
  return (
    <PageSection
      title={t('people.events')}
      actions={
        <Group gap="md">
          <Anchor component={Link} to={`${audit}?actor=${user}`} size="sm">
            {t('people.eventsBy')}
          </Anchor>
          <Anchor component={Link} to={`${audit}?target=${user}`} size="sm">
            {t('people.eventsAbout')}
          </Anchor>
        </Group>
      }
    >
      <ListView
        operation="Audit_ListByUser"
        request={{ Tenant, UserID: user }}
        label={t('people.events')}
        limit={10}
        place={place}
        columns={[
          {
            id: 'action',
            header: t('audit.action'),
            cell: (entry) => (
              <Sentence
                entry={entry}
                may={{ users: may('iam.users.read'), bots: may('iam.bots.read') }}
              />
            ),
          },
          {
            id: 'time',
            header: t('audit.when'),
            cell: ({ OccurredAt }) => <Time at={OccurredAt} />,
          },
          {
            id: 'result',
            header: t('audit.result'),
            isSecondary: true,
            cell: ({ Result }) => <ResultBadge of={Result} />,
          },
        ]}
        idOf={({ ID }) => ID}
        empty={<Text size="sm">{t('people.noEvents')}</Text>}
      />
    </PageSection>
  );
}
