import type { ItemOf } from '@bailiwick/client/client.ts';
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { pageOf, useCall } from '../parts/calls.ts';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { NoMatch } from '../parts/list-filters.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

type Group = ItemOf<'Groups_ListByTenant'>;

/** The groups that match the search in the address. */
export function FoundGroups() {
  const { t } = useTexts();
  const { ID } = useTenant();
  const { cursor, onCursor } = useCursor();
  const { fields, sorting } = useListSearch();
  const request = { Tenant: ID, ...fields, Page: { Limit: 100, Cursor: cursor } };
  const list = useCall('Groups_ListByTenant', request, { keepsPrevious: true });
  return (
    <>
      <CursorList
        label={t('access.groups')}
        columns={useColumns()}
        idOf={({ Path }) => Path}
        page={pageOf<'Groups_ListByTenant'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        sorting={sorting}
        empty={<NoMatch />}
      />
      <SameByApi operation="Groups_ListByTenant" request={request} />
    </>
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
        <>
          <Anchor
            component={Link}
            to={`/console/t/${Slug}/groups?group=${encodeURIComponent(Path)}`}
            size="sm"
            fw={500}
          >
            {Name || Path.split('/').at(-1)}
          </Anchor>
          <Text size="xs" c="dimmed">
            {Path}
          </Text>
        </>
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
