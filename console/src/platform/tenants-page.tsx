import type { ItemOf } from '@bailiwick/client/client.ts';
import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { pageOf, useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useSearchText } from './search.ts';
import { SearchField } from './search-field.tsx';

type Tenant = ItemOf<'Tenants_List'>;

const statuses: Readonly<Record<string, { text: TextKey; color: string }>> = {
  active: { text: 'platform.active', color: 'teal.9' },
  suspended: { text: 'platform.suspended', color: 'red.8' },
  deleting: { text: 'platform.deleting', color: 'gray.7' },
};

/** All tenants of the installation. */
export function TenantsPage() {
  const { t } = useTexts();
  const { may } = usePlatformPermissions();
  const { query, status, search } = useSearchText();
  const { cursor, onCursor } = useCursor();
  const [chosen, setChosen] = useState<Tenant>();
  const request = {
    ...(query !== '' && { Query: query }),
    ...(status !== '' && { Status: status }),
    Page: { Limit: 25, Cursor: cursor },
  };
  const list = useCall('Tenants_List', request, { keepsPrevious: true });
  return (
    <Page title={t('platform.tenants')} about={t('platform.tenantsAbout')}>
      <SearchField label={t('platform.tenantQuery')}>
        <NativeSelect
          label={t('platform.state')}
          value={status}
          onChange={(event) => search({ status: event.currentTarget.value })}
          data={[
            { value: '', label: t('platform.anyState') },
            ...Object.entries(statuses).map(([value, { text }]) => ({ value, label: t(text) })),
          ]}
        />
      </SearchField>
      <CursorList
        label={t('platform.tenants')}
        columns={useColumns(may('iam.platform.tenants.write') ? setChosen : undefined)}
        idOf={({ ID }) => ID}
        page={pageOf<'Tenants_List'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={
          <Empty
            icon="building"
            title={t('platform.noTenants')}
            about={t('platform.noTenantsAbout')}
          />
        }
      />
      <SameByApi operation="Tenants_List" request={request} />
      {chosen && <Change tenant={chosen} onClose={() => setChosen(undefined)} />}
    </Page>
  );
}

function useColumns(onChange: ((tenant: Tenant) => void) | undefined): Column<Tenant>[] {
  const { t } = useTexts();
  return [
    {
      id: 'name',
      header: t('platform.tenant'),
      cell: ({ ID, Name, Slug, Status }) => (
        <>
          <Text size="sm" fw={500}>
            {Name}
          </Text>
          <Text size="xs" c="dimmed">
            {Slug}
          </Text>
          <Text component="span" visibleFrom="sm">
            <Id id={ID} />
          </Text>
          <Text component="span" hiddenFrom="sm">
            <StatusOf status={Status} />
          </Text>
        </>
      ),
    },
    {
      id: 'status',
      header: t('platform.state'),
      isSecondary: true,
      cell: ({ Status }) => <StatusOf status={Status} />,
    },
    {
      id: 'created',
      header: t('platform.created'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
    ...(onChange
      ? [
          {
            id: 'actions',
            header: t('platform.actions'),
            hasHiddenHeader: true,
            cell: (tenant: Tenant) => <ChangeButton tenant={tenant} onChange={onChange} />,
          },
        ]
      : []),
  ];
}

function StatusOf({ status }: { status: string }) {
  const { t } = useTexts();
  const known = statuses[status];
  return <State color={known?.color ?? 'gray.7'}>{known ? t(known.text) : status}</State>;
}

type ButtonProps = { tenant: Tenant; onChange: (tenant: Tenant) => void };

function ChangeButton({ tenant, onChange }: ButtonProps) {
  const { t } = useTexts();
  const { Name, Status } = tenant;
  if (Status !== 'active' && Status !== 'suspended') return undefined;
  const isActive = Status === 'active';
  const label = isActive
    ? t('platform.suspendOf', { tenant: Name })
    : t('platform.resumeOf', { tenant: Name });
  return (
    <RowAction isRed={isActive} aria-label={label} onClick={() => onChange(tenant)}>
      {t(isActive ? 'platform.suspend' : 'platform.resume')}
    </RowAction>
  );
}

/** Suspends an active tenant, or resumes a suspended one. */
function Change({ tenant, onClose }: { tenant: Tenant; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { ID, Name, Slug, Status } = tenant;
  const isActive = Status === 'active';
  const change = useChange(isActive ? 'Tenants_Suspend' : 'Tenants_Resume', {
    stale: ['Tenants_List'],
  });
  const onSuccess = () => {
    onClose();
    notify(t(isActive ? 'platform.suspendDone' : 'platform.resumeDone', { tenant: Name }));
  };
  return (
    <Confirm
      title={t(isActive ? 'platform.suspendTitle' : 'platform.resumeTitle')}
      action={t(isActive ? 'platform.suspend' : 'platform.resume')}
      {...(isActive && { phrase: Slug })}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant: ID }, { onSuccess })}
      onClose={onClose}
    >
      {t(isActive ? 'platform.suspendAbout' : 'platform.resumeAbout', { tenant: Name })}
    </Confirm>
  );
}
