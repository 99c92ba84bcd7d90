import { Paper } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Frame } from '../shell/frame.tsx';
import { NewTenantForm } from './new-tenant-form.tsx';

/** A further tenant of the user, who becomes its owner. */
export function NewTenantPage() {
  const { t } = useTexts();
  const navigate = useNavigate();
  return (
    <Frame items={[{ to: '/console', text: t('shell.start'), icon: 'home' }]}>
      <Page title={t('shell.newTenant')} description={t('start.tenantAbout')}>
        <Paper withBorder p="lg" maw={560}>
          <NewTenantForm
            onDone={({ Slug }) =>
              void navigate({ to: '/console/t/$tenant', params: { tenant: Slug } })
            }
          />
        </Paper>
      </Page>
    </Frame>
  );
}
