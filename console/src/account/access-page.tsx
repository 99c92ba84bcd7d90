import { Anchor, NativeSelect, Paper, Skeleton, Stack, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCall } from '../parts/calls.ts';
import { Empty } from '../parts/empty.tsx';
import { Explanation } from '../parts/explanation.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { type Account, useAccount } from '../shell/session.tsx';
import { type AccessSearch, readAccessSearch } from './search.ts';

type Tenant = Account['Tenants'][number];

/** The user's rights in each of their tenants, and why. */
export function AccessPage() {
  const { t } = useTexts();
  const navigate = useNavigate();
  const { Tenants } = useAccount();
  const search: AccessSearch = useSearch({ strict: false });
  const tenant = Tenants.find(({ Slug }) => Slug === search.tenant) ?? Tenants[0];
  return (
    <Page title={t('account.access')} description={t('account.accessAbout')}>
      {!tenant && (
        <Empty
          icon="shield"
          title={t('account.noTenants')}
          description={t('account.noTenantsAbout')}
        />
      )}
      {tenant && Tenants.length > 1 && (
        <NativeSelect
          label={t('account.tenant')}
          value={tenant.Slug}
          data={Tenants.map(({ Slug, Name }) => ({ value: Slug, label: Name }))}
          onChange={({ currentTarget }) =>
            void navigate({
              to: '.',
              search: readAccessSearch({ tenant: currentTarget.value }) as never,
            })
          }
          maw={400}
        />
      )}
      {tenant && <Permissions tenant={tenant} current={search.permission} />}
    </Page>
  );
}

function Permissions({ tenant, current }: { tenant: Tenant; current: string | undefined }) {
  const { t } = useTexts();
  const { User } = useAccount();
  const request = { Tenant: tenant.ID };
  const { data, error, refetch } = useCall('Access_ListPermissions', request);
  return (
    <>
      {current !== undefined && (
        <Stack gap="xs">
          <Title order={2} size="h4">
            {current}
          </Title>
          <Explanation tenant={tenant.ID} subject={User.ID} permission={current} />
        </Stack>
      )}
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton height={160} aria-busy="true" />}
      {data?.Permissions.length === 0 && (
        <Empty
          icon="shield"
          title={t('account.noAccess')}
          description={t('account.noAccessAbout')}
        />
      )}
      {data && data.Permissions.length > 0 && (
        <Paper withBorder p="lg">
          <Stack component="ul" gap="xs" m={0} ps="md" aria-label={t('account.permissions')}>
            {data.Permissions.map((permission) => (
              <li key={permission}>
                <Anchor
                  component={Link}
                  to="/account/access"
                  search={{ tenant: tenant.Slug, permission } as never}
                  aria-current={permission === current ? 'true' : undefined}
                  ff="monospace"
                  size="sm"
                >
                  {permission}
                </Anchor>
              </li>
            ))}
          </Stack>
        </Paper>
      )}
      <SameByApi operation="Access_ListPermissions" request={request} />
    </>
  );
}
