import { Button, Group, NativeSelect } from '@mantine/core';
import { useEffect } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { EntryDrawer } from './entry-drawer.tsx';
import { EntryList } from './entry-list.tsx';
import { Filters } from './filters.tsx';
import { useScope } from './scope.ts';
import { toFilter } from './search.ts';
import { useAuditSearch } from './use-search.ts';

/** The page of entries that the address of the view asks for. */
function useEntries() {
  const { tenant } = useScope();
  const { search, setCursor } = useAuditSearch();
  const { cursor = '', order } = search;
  const request = {
    ...(tenant !== undefined && { Tenant: tenant }),
    Filter: toFilter(search),
    ...(order && { OldestFirst: true }),
    Page: { Limit: 25, Cursor: cursor },
  };
  const list = useCall('Audit_List', request, { keepsPrevious: true });
  const page = pageOf<'Audit_List'>(list.data);
  // One call searches a limited number of entries. Without a match it leads to the next part.
  const isSearching = page?.items.length === 0 && page.next !== '';
  const next = list.isPlaceholderData ? '' : (page?.next ?? '');
  useEffect(() => {
    if (isSearching && next !== '') setCursor(next, true);
  });
  return { request, list, page: isSearching ? undefined : page, cursor };
}

/** The entries of a tenant or of the platform: the search, the list, and all of one entry. */
export function Entries() {
  const view = useAuditSearch();
  const { request, list, page, cursor } = useEntries();
  const openEntry = page?.items.find((entry) => entry.ID === view.search.entry);
  return (
    <>
      <Filters />
      <Order />
      <FailureNotice error={list.error} onRetry={() => void list.refetch()} />
      {page?.items.length === 0 && cursor === '' && page.next === '' ? (
        <NoEntries />
      ) : (
        !list.error && (
          <EntryList
            page={page}
            isChanging={list.isPlaceholderData}
            cursor={page?.items.length === 0 ? '' : cursor}
            onCursor={view.setCursor}
            onOpen={view.setEntry}
          />
        )
      )}
      <SameByApi operation="Audit_List" request={request} />
      {openEntry && <EntryDrawer entry={openEntry} onClose={() => view.setEntry('')} />}
    </>
  );
}

function NoEntries() {
  const { t } = useTexts();
  const { isFiltered, setFilters } = useAuditSearch();
  return (
    <Empty
      icon="history"
      title={t(isFiltered ? 'audit.noMatch' : 'audit.none')}
      description={t(isFiltered ? 'audit.noMatchAbout' : 'audit.noneAbout')}
    >
      {isFiltered && (
        <Button variant="default" onClick={() => setFilters({})}>
          {t('audit.clear')}
        </Button>
      )}
    </Empty>
  );
}

function Order() {
  const { t } = useTexts();
  const { search, setOrder } = useAuditSearch();
  return (
    <Group justify="end">
      <NativeSelect
        size="sm"
        aria-label={t('audit.order')}
        value={search.order ?? 'newest'}
        onChange={(event) => setOrder(event.currentTarget.value)}
        data={[
          { value: 'newest', label: t('audit.newestFirst') },
          { value: 'oldest', label: t('audit.oldestFirst') },
        ]}
      />
    </Group>
  );
}
