import { Button, Group, Skeleton } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Id } from '../parts/copy.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useIsAdministrator } from '../shell/views.ts';
import { Attention } from './attention.tsx';
import { Figures } from './figures.tsx';
import { Next } from './next.tsx';

// The plot comes after the figures: most visits need the list above it.
const Activity = lazy(async () => ({ default: (await import('./activity.tsx')).Activity }));

const plotted = ['iam.users.write', 'iam.audit.read', 'iam.webhooks.read', 'iam.chat.read'];

/** The overview of a tenant. A member who administers nothing has an account, and no overview. */
export function TenantPage() {
  const { t } = useTexts();
  const { ID, Name, AppURL, may } = useTenant();
  const isAdministrator = useIsAdministrator(may);
  if (!isAdministrator) return <Navigate to="/account/tenants" replace />;
  return (
    <Page title={Name} description={t('overview.about')}>
      <Group gap="xs">
        <Id id={ID} />
        {AppURL !== '' && (
          <Button component="a" href={AppURL} size="compact-sm" variant="light">
            {t('overview.app')}
          </Button>
        )}
      </Group>
      <Attention />
      <Figures />
      {plotted.some(may) && (
        <Suspense fallback={<Skeleton height={320} />}>
          <Activity />
        </Suspense>
      )}
      <Next />
    </Page>
  );
}
