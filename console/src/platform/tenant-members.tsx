import type { ItemOf } from '@bailiwick/client/client.ts';
import { Text } from '@mantine/core';
import { usePartCursor } from '../parts/cursor.ts';
import type { Column } from '../parts/cursor-list.tsx';
import { ListView } from '../parts/list-view.tsx';
import { memberStates } from '../parts/member-states.ts';
import { PageSection } from '../parts/page-section.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { MemberPerson } from '../parts/person.tsx';
import { StateOf } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useAccount } from '../shell/session.tsx';
import { SupportDialog } from './support-dialog.tsx';
import type { Tenant } from './tenant-states.ts';

type Member = ItemOf<'TenantMembers_List'>;

/** The members of a tenant. An operator acts as one of them only with support access. */
export function TenantMembers({ tenant: { ID } }: { tenant: Tenant }) {
  const { t } = useTexts();
  const { User: own } = useAccount();
  const { may } = usePlatformPermissions();
  return (
    <PageSection title={t('people.members')}>
      <ListView
        operation="TenantMembers_List"
        request={{ Tenant: ID, WithNames: true }}
        label={t('people.members')}
        columns={useColumns()}
        idOf={({ UserID }) => UserID}
        actions={[
          {
            text: t('support.open'),
            label: ({ User, UserID }) => t('support.openOf', { person: User?.Email ?? UserID }),
            may: may('iam.platform.support.act'),
            isOffered: ({ UserID, User, Status }) =>
              UserID !== own.ID && User !== undefined && Status === 'active',
            dialog: ({ User, UserID }, onClose) => (
              <SupportDialog
                user={{ ID: UserID, Email: User?.Email ?? UserID }}
                onClose={onClose}
              />
            ),
          },
        ]}
        place={usePartCursor()}
        limit={10}
        empty={<Text c="dimmed">{t('people.noMembers')}</Text>}
      />
    </PageSection>
  );
}

function useColumns(): Column<Member>[] {
  const { t } = useTexts();
  return [
    {
      id: 'person',
      header: t('platform.user'),
      cell: (member) => (
        <MemberPerson {...member} to={`/console/platform/users/${member.UserID}`} />
      ),
    },
    {
      id: 'status',
      header: t('platform.state'),
      isSecondary: true,
      cell: ({ Status }) => <StateOf states={memberStates} state={Status} />,
    },
    {
      id: 'joined',
      header: t('people.joined'),
      isSecondary: true,
      cell: ({ JoinedAt }) => <Time at={JoinedAt} />,
    },
  ];
}
