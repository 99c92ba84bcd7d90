import type { ItemOf } from '@bailiwick/client/client.ts';
import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Id } from '../parts/copy.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import type { ListAction } from '../parts/list-actions.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { choicesOf, StateOf } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { NewTenantForm } from '../start/new-tenant-form.tsx';
import { useSearchText } from './search.ts';
import { SearchField } from './search-field.tsx';
import { TenantChange } from './tenant-changes.tsx';
import { tenantStates } from './tenant-states.ts';

type Tenant = ItemOf<'Tenants_List'>;

/** All tenants of the installation. */
export function TenantsPage() {
  const { t } = useTexts();
  const { may } = usePlatformPermissions();
  const { query, status, search } = useSearchText();
  const mayWrite = may('iam.platform.tenants.write');
  return (
    <Page
      isList
      title={t('platform.tenants')}
      description={t('platform.tenantsAbout')}
      actions={
        mayWrite && (
          <DialogButton
            text={t('shell.newTenant')}
            icon="plus"
            dialog={(onClose) => <NewTenant onClose={onClose} />}
          />
        )
      }
    >
      <SearchField label={t('platform.tenantQuery')}>
        <NativeSelect
          label={t('platform.state')}
          value={status}
          onChange={(event) => search({ status: event.currentTarget.value })}
          data={[{ value: '', label: t('platform.anyState') }, ...choicesOf(tenantStates, t)]}
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
        actions={useActions(mayWrite)}
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

function useActions(may: boolean): ListAction<Tenant>[] {
  const { t } = useTexts();
  const change = (name: 'suspend' | 'resume') => (tenant: Tenant, onClose: () => void) => (
    <TenantChange name={name} tenant={tenant} onClose={onClose} />
  );
  return [
    {
      text: t('platform.suspend'),
      label: ({ Name }) => t('platform.suspendOf', { tenant: Name }),
      may,
      isOffered: ({ Status }) => Status === 'active',
      dialog: change('suspend'),
    },
    {
      text: t('platform.resume'),
      label: ({ Name }) => t('platform.resumeOf', { tenant: Name }),
      may,
      isOffered: ({ Status }) => Status === 'suspended',
      dialog: change('resume'),
    },
  ];
}

function useColumns(): Column<Tenant>[] {
  const { t } = useTexts();
  return [
    {
      id: 'name',
      header: t('platform.tenant'),
      cell: ({ ID, Name, Slug }) => (
        <NameCell name={Name} to={`/console/platform/tenants/${ID}`} detail={Slug} />
      ),
    },
    { id: 'id', header: 'ID', isSecondary: true, cell: ({ ID }) => <Id id={ID} /> },
    {
      id: 'status',
      header: t('platform.state'),
      cell: ({ Status }) => <StateOf states={tenantStates} state={Status} />,
    },
    {
      id: 'created',
      header: t('platform.created'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
  ];
}

/** Creates a tenant for others, and opens its page. */
function NewTenant({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const navigate = useNavigate();
  return (
    <Dialog title={t('shell.newTenant')} onClose={onClose}>
      <NewTenantForm
        isForOthers
        onDone={({ ID }) =>
          void navigate({ to: '/console/platform/tenants/$id', params: { id: ID } })
        }
        onCancel={onClose}
      />
    </Dialog>
  );
}
