import { Button, Group, NativeSelect } from '@mantine/core';
import { useEffect } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { EntryDrawer } from './entry-drawer.tsx';
import { EntryList } from './entry-list.tsx';
import { ExportMenu } from './export-menu.tsx';
import { Filters } from './filters.tsx';
import { toFilter } from './search.ts';
import { useAuditSearch } from './use-search.ts';
import { VerifyDialog } from './verify-dialog.tsx';

/** The page of entries that the address of the view asks for. */
function useEntries() {
  const { ID } = useTenant();
  const { search, setCursor } = useAuditSearch();
  const { cursor = '', order } = search;
  const request = {
    Tenant: ID,
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

/** The audit of a tenant: filters, entries, export and verification. */
export function AuditPage() {
  const { t } = useTexts();
  const { ID, Name, may } = useTenant();
  const view = useAuditSearch();
  const { search } = view;
  const { request, list, page, cursor } = useEntries();
  const openEntry = page?.items.find((entry) => entry.ID === search.entry);
  return (
    <Page
      title={t('audit.title')}
      description={t('audit.about', { tenant: Name })}
      actions={
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<Icon name="shield" />}
            onClick={() => view.setVerifying(true)}
          >
            {t('audit.verify')}
          </Button>
          {may('iam.audit.export') && <ExportMenu tenant={ID} filter={request.Filter} />}
        </Group>
      }
    >
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
      {search.panel === 'verify' && <VerifyDialog onClose={() => view.setVerifying(false)} />}
    </Page>
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
