import type { ItemOf } from '@bailiwick/client/client.ts';
import { Alert, Group, Skeleton, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { usePartCursor } from '../parts/cursor.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { State, StateOf, type States } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useEntryColumns } from './entries.tsx';
import { TenantButtons } from './tenant-changes.tsx';
import { TenantFacts } from './tenant-facts.tsx';
import { TenantHealth } from './tenant-health.tsx';
import { TenantMembers } from './tenant-members.tsx';
import { type Tenant, tenantStates } from './tenant-states.ts';

/** One tenant, as the operators of the platform see it. */
export function TenantPage() {
  const { t } = useTexts();
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useCall('Tenants_Get', { Tenant: id });
  const back = { to: '/console/platform/tenants', text: t('platform.tenants') };
  const tenant = data?.Tenant;
  return (
    <Page
      title={tenant?.Name ?? t('platform.tenant')}
      back={back}
      description={tenant?.Slug}
      actions={tenant && <TenantButtons tenant={tenant} />}
    >
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!tenant && !error && <Skeleton height={240} />}
      {tenant && (
        <>
          <Group gap="sm">
            <StateOf states={tenantStates} state={tenant.Status} />
            <Id id={tenant.ID} />
          </Group>
          <TenantFacts tenant={tenant} />
          {tenant.Status === 'active' ? <Contents tenant={tenant} /> : <Closed tenant={tenant} />}
        </>
      )}
    </Page>
  );
}

/** Stands for the contents of a tenant that is suspended or being deleted: no caller reads them. */
function Closed({ tenant: { Status } }: { tenant: Tenant }) {
  const { t } = useTexts();
  return (
    <Alert color="orange" icon={<Icon name="warning" />}>
      {t(Status === 'suspended' ? 'platform.closedSuspended' : 'platform.closedDeleting')}
    </Alert>
  );
}

function Contents({ tenant }: { tenant: Tenant }) {
  const { may } = usePlatformPermissions();
  return (
    <>
      {may('iam.users.read') && <TenantMembers tenant={tenant} />}
      {may('iam.domains.read') && <Domains tenant={tenant} />}
      {may('iam.sso.read') && <Providers tenant={tenant} />}
      {may('iam.platform.queues.read') && <TenantHealth tenant={tenant} />}
      {may('iam.audit.read') && <Entries tenant={tenant} />}
    </>
  );
}

const domainStates: States = {
  pending: { text: 'signon.pending', color: 'accent.7' },
  verified: { text: 'signon.verified', color: 'teal.9' },
  lapsed: { text: 'signon.lapsed', color: 'red.9' },
  failed: { text: 'signon.failed', color: 'orange.9' },
};

function Domains({ tenant: { ID } }: { tenant: Tenant }) {
  const { t } = useTexts();
  return (
    <PageSection title={t('signon.domains')}>
      <ListView
        operation="Domain_List"
        request={{ Tenant: ID }}
        label={t('signon.domains')}
        columns={[
          { id: 'name', header: t('signon.domain'), cell: ({ Name }) => <NameCell name={Name} /> },
          {
            id: 'state',
            header: t('platform.state'),
            cell: ({ Status }) => <StateOf states={domainStates} state={Status} />,
          },
        ]}
        idOf={(domain) => domain.ID}
        place={usePartCursor()}
        limit={10}
        empty={<Text c="dimmed">{t('platform.noDomain')}</Text>}
      />
    </PageSection>
  );
}

function Providers({ tenant: { ID } }: { tenant: Tenant }) {
  const { t } = useTexts();
  const name = ({ Name, Kind }: ItemOf<'Sso_ListProviders'>) => Name || Kind;
  return (
    <PageSection title={t('signon.sso')}>
      <ListView
        operation="Sso_ListProviders"
        request={{ Tenant: ID }}
        label={t('signon.sso')}
        columns={[
          {
            id: 'name',
            header: t('signon.provider'),
            cell: (provider) => <NameCell name={name(provider)} detail={provider.Issuer} />,
          },
          {
            id: 'state',
            header: t('platform.state'),
            cell: ({ Active }) => (
              <State color={Active ? 'teal.9' : 'gray.7'}>
                {t(Active ? 'platform.active' : 'platform.inactive')}
              </State>
            ),
          },
        ]}
        idOf={(provider) => provider.ID}
        place={usePartCursor()}
        limit={10}
        empty={<Text c="dimmed">{t('platform.noProvider')}</Text>}
      />
    </PageSection>
  );
}

function Entries({ tenant: { ID } }: { tenant: Tenant }) {
  const { t } = useTexts();
  return (
    <PageSection title={t('platform.lastEntries')}>
      <ListView
        operation="Audit_List"
        request={{ Tenant: ID }}
        label={t('platform.lastEntries')}
        columns={useEntryColumns()}
        idOf={(entry) => entry.ID}
        place={usePartCursor()}
        limit={10}
        empty={<Text c="dimmed">{t('platform.noEntries')}</Text>}
      />
    </PageSection>
  );
}
