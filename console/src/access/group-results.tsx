import type { ItemOf } from '@bailiwick/client/client.ts';
import { Text } from '@mantine/core';
import type { Column } from '../parts/cursor-list.tsx';
import { NoMatch } from '../parts/list-filters.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

type Group = ItemOf<'Groups_ListByTenant'>;

/** The groups that match the search in the address. */
export function GroupResults() {
  const { t } = useTexts();
  const { ID } = useTenant();
  return (
    <ListView
      operation="Groups_ListByTenant"
      request={{ Tenant: ID }}
      label={t('access.groups')}
      columns={useColumns()}
      idOf={({ Path }) => Path}
      limit={100}
      empty={<NoMatch />}
    />
  );
}

function useColumns(): Column<Group>[] {
  const { t } = useTexts();
  const { Slug } = useTenant();
  return [
    {
      id: 'group',
      sort: 'name',
      header: t('access.group'),
      cell: ({ Path, Name }) => (
        <NameCell
          name={Name || Path.split('/').at(-1)}
          to={`/console/t/${Slug}/groups?group=${encodeURIComponent(Path)}`}
          detail={Path}
        />
      ),
    },
    {
      id: 'about',
      header: t('access.description'),
      isSecondary: true,
      cell: ({ Description }) => <Text size="sm">{Description}</Text>,
    },
  ];
}
