import { Skeleton } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useAll } from '../parts/calls.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { ListFilters } from '../parts/list-filters.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { AddGroupDialog } from './group-dialogs.tsx';
import { GroupPage } from './group-page.tsx';
import { GroupResults } from './group-results.tsx';
import { GroupTree } from './group-tree.tsx';

/** The groups of a tenant as a tree, those that match a search, or one of them. */
export function GroupsPage() {
  const { group }: { group?: string } = useSearch({ strict: false });
  return group === undefined ? <Groups /> : <GroupPage key={group} path={group} />;
}

function Groups() {
  const { t } = useTexts();
  const { may } = useTenant();
  const { isFiltered } = useListSearch();
  return (
    <Page
      isList
      title={t('access.groups')}
      description={t('access.groupsAbout')}
      actions={
        may('iam.groups.write') && (
          <DialogButton
            text={t('access.addGroup')}
            icon="plus"
            dialog={(onClose) => <AddGroupDialog onClose={onClose} />}
          />
        )
      }
    >
      <ListFilters label={t('access.searchGroups')} />
      {isFiltered ? <GroupResults /> : <AllGroups />}
    </Page>
  );
}

/** More groups than this are a list by cursor, because their tree would take too long to load. */
const mostDrawn = 2000;

function AllGroups() {
  const { t } = useTexts();
  const request = { Tenant: useTenant().ID, Page: { Limit: 200 } };
  const { data, error, refetch } = useAll('Groups_ListByTenant', request, { most: mostDrawn });
  if (data && data.length > mostDrawn) return <GroupResults />;
  return (
    <>
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton height={160} />}
      {data?.length === 0 && (
        <Empty icon="tree" title={t('access.noGroups')} description={t('access.groupsAbout')} />
      )}
      {data && data.length > 0 && <GroupTree groups={data} />}
      <SameByApi operation="Groups_ListByTenant" request={request} />
    </>
  );
}
