import { Alert, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Id } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { type Account, useAccount } from '../shell/session.tsx';

/** The tenants that the user belongs to. */
export function TenantsPage() {
  const { t } = useTexts();
  const { Tenants, SuspendedTenants, LimitedTo } = useAccount();
  return (
    <Page title={t('account.tenants')} about={t('account.tenantsAbout')}>
      {LimitedTo !== '' && (
        <Alert color="orange" icon={<Icon name="warning" />}>
          {t('account.limited')}
        </Alert>
      )}
      {Tenants.length + SuspendedTenants.length === 0 && (
        <Empty icon="building" title={t('account.noTenants')} about={t('account.noTenantsAbout')}>
          <Button component={Link} to="/console">
            {t('shell.start')}
          </Button>
        </Empty>
      )}
      {Tenants.map((tenant) => (
        <Tenant key={tenant.ID} tenant={tenant} />
      ))}
      {SuspendedTenants.map(({ ID, Name }) => (
        <Paper key={ID} withBorder p="lg">
          <Group gap="xs">
            <Text fw={500}>{Name}</Text>
            <Badge color="orange.9" tt="none">
              {t('account.suspended')}
            </Badge>
          </Group>
        </Paper>
      ))}
      <SameByApi operation="Account_Get" request={{}} />
    </Page>
  );
}

function Tenant({ tenant: { ID, Name, Slug, AppURL } }: { tenant: Account['Tenants'][number] }) {
  const { t } = useTexts();
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
          {AppURL !== '' && (
            <Button component="a" href={AppURL} variant="default">
              {t('overview.app')}
            </Button>
          )}
          <Button component={Link} to={`/console/t/${Slug}`}>
            {t('account.open')}
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}
