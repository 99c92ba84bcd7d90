import { Button } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { periods, useAuditSearch } from './audit-search.ts';
import { useEntryColumns } from './entries.tsx';

const hourMs = 3_600_000;

/** The page of entries that the address of the view asks for. */
function useEntries() {
  const { search, setCursor } = useAuditSearch();
  const { cursor = '', actor, action, period } = search;
  // The period ends when it is chosen, so that all pages are of one list.
  const from = useMemo(
    () => period && new Date(Date.now() - periods[period] * hourMs).toISOString(),
    [period],
  );
  const request = {
    Filter: {
      ...(action && { ActionPrefix: action }),
      ...(actor && { ActorIDs: [actor] }),
      ...(from && { From: from }),
    },
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
  return { request, list, page: isSearching ? undefined : page, cursor, setCursor };
}

/** The audit of the platform: its users, operators, keys and providers. */
export function AuditPage() {
  const { t } = useTexts();
  const { request, list, page, cursor, setCursor } = useEntries();
  return (
    <Page title={t('audit.title')} description={t('platform.auditAbout')}>
      <AuditFilters />
      <CursorList
        label={t('audit.title')}
        columns={useEntryColumns()}
        idOf={({ ID }) => ID}
        page={page}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={page?.items.length === 0 ? '' : cursor}
        onCursor={setCursor}
        empty={<NoEntries />}
      />
      <SameByApi operation="Audit_List" request={request} />
    </Page>
  );
}

function NoEntries() {
  const { t } = useTexts();
  const { isFiltered, clear } = useAuditSearch();
  return (
    <Empty
      icon="history"
      title={t(isFiltered ? 'audit.noMatch' : 'audit.none')}
      description={t(isFiltered ? 'audit.noMatchAbout' : 'audit.noneAbout')}
    >
      {isFiltered && (
        <Button variant="default" onClick={clear}>
          {t('audit.clear')}
        </Button>
      )}
    </Empty>
  );
}
