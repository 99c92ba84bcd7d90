import { Alert } from '@mantine/core';
import { Navigate, useNavigate } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Frame } from '../shell/frame.tsx';
import { type Account, useAccount } from '../shell/session.tsx';
import type { NavigationItem } from '../shell/spotlight.tsx';
import { NewTenantForm } from './new-tenant-form.tsx';
import { Step, Steps } from './step.tsx';

/** The console's first address: the user's tenant, or the first steps without one. */
export function StartPage() {
  const { t } = useTexts();
  const { Tenants, SuspendedTenants } = useAccount();
  const { isOperator } = usePlatformPermissions();
  const [first] = Tenants;
  if (first) return <Navigate to="/console/t/$tenant" params={{ tenant: first.Slug }} replace />;
  const items: NavigationItem[] = [
    { to: '/console', text: t('shell.start'), icon: 'home' },
    ...(isOperator
      ? [{ to: '/console/platform', text: t('shell.platform'), icon: 'shield' as const }]
      : []),
  ];
  return (
    <Frame items={items}>
      <Page title={t('start.welcome')} description={t('start.about')}>
        {SuspendedTenants.length > 0 && <Suspended tenants={SuspendedTenants} />}
        <Steps>
          <Step icon="building" title={t('start.tenant')} description={t('start.tenantAbout')}>
            <CreateTenant />
          </Step>
          <Step icon="mail" title={t('start.invite')} description={t('start.inviteAbout')}>
            <SameByApi
              operation="TenantInvitations_Create"
              request={{ Tenant: 'tnt_…', Email: 'ada@example.com', Roles: ['admin'] }}
            />
          </Step>
          <Step icon="app" title={t('start.app')} description={t('start.appAbout')}>
            <SameByApi
              operation="Access_Check"
              request={{ Tenant: 'tnt_…', Subject: 'usr_…', Permission: 'app.reports.read' }}
            />
          </Step>
          <Step icon="bell" title={t('start.webhook')} description={t('start.webhookAbout')}>
            <SameByApi
              operation="Webhooks_CreateEndpoint"
              request={{
                Endpoint: {
                  Tenant: 'tnt_…',
                  Name: 'Orders',
                  URL: 'https://orders.example.com/hook',
                },
              }}
            />
          </Step>
        </Steps>
      </Page>
    </Frame>
  );
}

const Suspended = ({ tenants }: { tenants: Account['SuspendedTenants'] }) => {
  const { t, locale } = useTexts();
  const names = new Intl.ListFormat(locale).format(tenants.map(({ Name }) => Name));
  return (
    <Alert color="orange" icon={<Icon name="warning" />}>
      {t('start.suspended', { tenants: names })}
    </Alert>
  );
};

function CreateTenant() {
  const navigate = useNavigate();
  return (
    <NewTenantForm
      onDone={({ Slug }) => void navigate({ to: '/console/t/$tenant', params: { tenant: Slug } })}
    />
  );
}
