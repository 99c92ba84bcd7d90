import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { Id } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { type Account, useAccount } from '../shell/session.tsx';
import { useMayOpen } from '../shell/views.ts';
import { Invitations } from './invitations.tsx';
import { MailedInvitations } from './mailed-invitations.tsx';

type Tenant = Account['Tenants'][number];

export function TenantsPage() {
  const { t } = useTexts();
  const { Tenants, SuspendedTenants, LimitedTo } = useAccount();
  const [tenantToLeave, setTenantToLeave] = useState<Tenant>();
  return (
    <Page title={t('account.tenants')} description={t('account.tenantsAbout')}>
      {LimitedTo !== '' && (
        <Alert color="orange" icon={<Icon name="warning" />}>
          {t('account.limited')}
        </Alert>
      )}
      <Invitations />
      <MailedInvitations />
      {Tenants.length + SuspendedTenants.length === 0 && (
        <Empty
          icon="building"
          title={t('account.noTenants')}
          description={t('account.noTenantsAbout')}
        >
          <Button component={Link} to="/console">
            {t('shell.start')}
          </Button>
        </Empty>
      )}
      {Tenants.map((tenant) => (
        <Belonging key={tenant.ID} tenant={tenant} onLeave={() => setTenantToLeave(tenant)} />
      ))}
      {SuspendedTenants.map(({ ID, Name }) => (
        <Paper key={ID} withBorder p="lg">
          <Group gap="xs">
            <Text fw={600}>{Name}</Text>
            <State color="orange.9">{t('account.suspended')}</State>
          </Group>
        </Paper>
      ))}
      <SameByApi operation="Account_Get" request={{}} />
      {tenantToLeave && (
        <Leave tenant={tenantToLeave} onClose={() => setTenantToLeave(undefined)} />
      )}
    </Page>
  );
}

type BelongingProps = { tenant: Tenant; onLeave: () => void };

/** The overview is for those who administer something. */
function Belonging({ tenant: { ID, Name, Slug, AppURL }, onLeave }: BelongingProps) {
  const { t } = useTexts();
  const mayOpen = useMayOpen(ID);
  return (
    <Paper withBorder p="lg">
      <Group justify="space-between">
        <Stack gap={2}>
          <Title order={2} size="h4">
            {Name}
          </Title>
          <Id id={ID} />
        </Stack>
        <Group gap="xs">
          <Button
            variant="default"
            aria-label={t('account.leaveOf', { tenant: Name })}
            onClick={onLeave}
          >
            {t('account.leave')}
          </Button>
          {AppURL !== '' && (
            <Button component="a" href={AppURL} variant="default">
              {t('overview.app')}
            </Button>
          )}
          {mayOpen && (
            <Button component={Link} to={`/console/t/${Slug}`}>
              {t('account.open')}
            </Button>
          )}
        </Group>
      </Group>
    </Paper>
  );
}

function Leave({ tenant: { ID, Name }, onClose }: { tenant: Tenant; onClose: () => void }) {
  const { t } = useTexts();
  const { User } = useAccount();
  return (
    <ActionDialog
      operation="TenantMembers_Remove"
      request={{ Tenant: ID, UserID: User.ID }}
      stale={['Account_Get', 'Tenants_ListMine']}
      title={t('account.leaveTitle')}
      action={t('account.leave')}
      phrase={Name}
      notice={t('account.left', { tenant: Name })}
      onClose={onClose}
    >
      {t('account.leaveAbout', { tenant: Name })}
    </ActionDialog>
  );
}
