import type { ItemOf } from '@bailiwick/client/client.ts';
import type { Column } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { Person } from '../parts/person.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { RemoveRole } from './role-dialogs.tsx';

type Grant = ItemOf<'Grants_ListByTenant'>;

/** The users with a role on the platform. */
export function OperatorsPage() {
  const { t } = useTexts();
  const { may } = usePlatformPermissions();
  return (
    <Page isList title={t('platform.operators')} description={t('platform.operatorsAbout')}>
      <ListView
        operation="Grants_ListByTenant"
        request={{ Platform: true }}
        label={t('platform.operators')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        actions={[
          {
            text: t('platform.removeRole'),
            label: ({ UserID, Role }) => `${t('platform.removeRole')}: ${Role}, ${UserID}`,
            may: may('iam.platform.grants.write'),
            dialog: (grant, onClose) => <RemoveRole grant={grant} onClose={onClose} />,
          },
        ]}
        empty={
          <Empty
            icon="shield"
            title={t('platform.noOperators')}
            description={t('platform.operatorsAbout')}
          />
        }
      />
    </Page>
  );
}

function useColumns(): Column<Grant>[] {
  const { t } = useTexts();
  return [
    {
      id: 'user',
      header: t('platform.user'),
      cell: ({ UserID }) => <Person id={UserID} to={`/console/platform/users/${UserID}`} />,
    },
    { id: 'role', header: t('platform.role'), cell: ({ Role }) => Role },
    {
      id: 'since',
      header: t('platform.roleSince'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
  ];
}
