import { Stack } from '@mantine/core';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { EndSection } from './end-section.tsx';
import { SettingsForm } from './settings-form.tsx';
import { WithTenant } from './tenant-form.tsx';

/** Everything of a tenant that its administrators can change, except how it looks. */
export function TenantSettingsPage() {
  const { t } = useTexts();
  const { ID, Name } = useTenant();
  return (
    <Page title={t('settings.settings')} description={t('settings.about', { tenant: Name })}>
      <WithTenant>
        {(tenant) => (
          <Stack key={tenant.ID} gap="lg">
            <SettingsForm tenant={tenant} />
            <EndSection tenant={tenant} />
          </Stack>
        )}
      </WithTenant>
      <SameByApi operation="Tenants_Get" request={{ Tenant: ID }} />
    </Page>
  );
}
