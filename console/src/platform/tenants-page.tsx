import type { ItemOf } from '@bailiwick/client/client.ts';
import { NativeSelect, Text } from '@mantine/core';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { Id } from '../parts/copy.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { choicesOf, StateOf, type States } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useSearchText } from './search.ts';
import { SearchField } from './search-field.tsx';

type Tenant = ItemOf<'Tenants_List'>;

const statuses: States = {
  active: { text: 'platform.active', color: 'teal.9' },
  suspended: { text: 'platform.suspended', color: 'red.8' },
  deleting: { text: 'platform.deleting', color: 'gray.7' },
};

/** All tenants of the installation. */
export function TenantsPage() {
  const { t } = useTexts();
  const { may } = usePlatformPermissions();
  const { query, status, search } = useSearchText();
  const mayWrite = may('iam.platform.tenants.write');
  const change = (tenant: Tenant, onClose: () => void) => (
    <Change tenant={tenant} onClose={onClose} />
  );
  return (
    <Page title={t('platform.tenants')} description={t('platform.tenantsAbout')}>
      <SearchField label={t('platform.tenantQuery')}>
        <NativeSelect
          label={t('platform.state')}
          value={status}
          onChange={(event) => search({ status: event.currentTarget.value })}
          data={[{ value: '', label: t('platform.anyState') }, ...choicesOf(statuses, t)]}
        />
      </SearchField>
      <ListView
        operation="Tenants_List"
        request={{
          ...(query !== '' && { Query: query }),
          ...(status !== '' && { Status: status }),
        }}
        label={t('platform.tenants')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        actions={[
          {
            text: t('platform.suspend'),
            label: ({ Name }) => t('platform.suspendOf', { tenant: Name }),
            isRed: true,
            may: mayWrite,
            isOffered: ({ Status }) => Status === 'active',
            dialog: change,
          },
          {
            text: t('platform.resume'),
            label: ({ Name }) => t('platform.resumeOf', { tenant: Name }),
            may: mayWrite,
            isOffered: ({ Status }) => Status === 'suspended',
            dialog: change,
          },
        ]}
        empty={
          <Empty
            icon="building"
            title={t('platform.noTenants')}
            description={t('platform.noTenantsAbout')}
          />
        }
      />
    </Page>
  );
}

function useColumns(): Column<Tenant>[] {
  const { t } = useTexts();
  return [
    {
      id: 'name',
      header: t('platform.tenant'),
      cell: ({ ID, Name, Slug, Status }) => (
        <>
          <NameCell name={Name} detail={Slug} />
          <Text component="span" visibleFrom="sm">
            <Id id={ID} />
          </Text>
          <Text component="span" hiddenFrom="sm">
            <StateOf states={statuses} state={Status} />
          </Text>
        </>
      ),
    },
    {
      id: 'status',
      header: t('platform.state'),
      isSecondary: true,
      cell: ({ Status }) => <StateOf states={statuses} state={Status} />,
    },
    {
      id: 'created',
      header: t('platform.created'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
  ];
}

/** Suspends an active tenant, or resumes a suspended one. */
function Change({ tenant, onClose }: { tenant: Tenant; onClose: () => void }) {
  const { t } = useTexts();
  const { ID, Name, Slug, Status } = tenant;
  const isActive = Status === 'active';
  return (
    <ActionDialog
      operation={isActive ? 'Tenants_Suspend' : 'Tenants_Resume'}
      request={{ Tenant: ID }}
      stale={['Tenants_List']}
      title={t(isActive ? 'platform.suspendTitle' : 'platform.resumeTitle')}
      action={t(isActive ? 'platform.suspend' : 'platform.resume')}
      {...(isActive && { phrase: Slug })}
      notice={t(isActive ? 'platform.suspendDone' : 'platform.resumeDone', { tenant: Name })}
      onClose={onClose}
    >
      {t(isActive ? 'platform.suspendAbout' : 'platform.resumeAbout', { tenant: Name })}
    </ActionDialog>
  );
}
