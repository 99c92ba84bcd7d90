import { Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useAccount } from '../shell/session.tsx';
import { Attention } from './attention.tsx';
import { useApps, useStats } from './counts.ts';
import { Figures } from './figures.tsx';
import { Step, Steps } from './step.tsx';

// The plot comes after the figures: most visits need the list above it.
const Activity = lazy(async () => ({ default: (await import('./activity.tsx')).Activity }));

const plotted = ['iam.users.write', 'iam.audit.read', 'iam.webhooks.read', 'iam.chat.read'];

/** The next steps in a tenant, as far as the user may take them. */
export function TenantPage() {
  const { t } = useTexts();
  const { ID, Name, AppURL, may } = useTenant();
  const mayAdminister = ['iam.invitations.write', 'iam.grants.read', 'iam.webhooks.write'].some(
    may,
  );
  const mayPlot = plotted.some(may);
  return (
    <Page
      title={Name}
      description={t(mayAdminister ? 'overview.about' : 'overview.member', { tenant: Name })}
    >
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
      {mayPlot && (
        <Suspense fallback={<Skeleton height={320} />}>
          <Activity />
        </Suspense>
      )}
      {mayAdminister ? (
        <Next />
      ) : (
        <Empty icon="user" title={t('overview.nothing')} description={t('overview.nothingAbout')}>
          <Button component={Link} to="/account">
            {t('shell.yourAccount')}
          </Button>
        </Empty>
      )}
    </Page>
  );
}

function Next() {
  const { t } = useTexts();
  const { may } = useTenant();
  return (
    <Stack gap="sm" component="section" aria-label={t('overview.next')}>
      <Title order={2} size="h3">
        {t('overview.next')}
      </Title>
      <Steps>
        {may('iam.invitations.write') && <Invite />}
        {may('iam.grants.read') && <Protect />}
        {may('iam.webhooks.write') && <Webhook />}
      </Steps>
    </Stack>
  );
}

function Invite() {
  const { t } = useTexts();
  const { ID, Slug, may } = useTenant();
  const mayList = may('iam.invitations.read');
  const request = { Tenant: ID, Page: { Limit: 1 } };
  const { data } = useCall('TenantInvitations_List', request, { enabled: mayList });
  return (
    <Step
      icon="mail"
      title={t('start.invite')}
      description={t('start.inviteAbout')}
      isDone={(data?.Page.Items.length ?? 0) > 0}
    >
      {mayList && (
        <div>
          <Button component={Link} to={`/console/t/${Slug}/members/invitations`}>
            {t('start.inviteGo')}
          </Button>
        </div>
      )}
      <SameByApi
        operation="TenantInvitations_Create"
        request={{ Tenant: ID, Email: 'ada@example.com' }}
      />
    </Step>
  );
}

function Protect() {
  const { t } = useTexts();
  const { ID, Slug, may } = useTenant();
  const { User } = useAccount();
  const mayList = may('iam.apps.read');
  const count = pageOf<'Apps_List'>(useApps(mayList).data)?.items.length ?? 0;
  return (
    <Step icon="app" title={t('start.app')} description={t('start.appAbout')} isDone={count > 0}>
      {mayList && (
        <div>
          <Button component={Link} to={`/console/t/${Slug}/apps`}>
            {t('start.appGo')}
          </Button>
        </div>
      )}
      <SameByApi
        operation="Access_Check"
        request={{ Tenant: ID, Subject: User.ID, Permission: 'app.reports.read' }}
      />
    </Step>
  );
}

function Webhook() {
  const { t } = useTexts();
  const { ID, Slug, may } = useTenant();
  const { data } = useStats('Webhooks', may('iam.webhooks.read'));
  return (
    <Step
      icon="bell"
      title={t('start.webhook')}
      description={t('start.webhookAbout')}
      isDone={(data?.Endpoints?.Total ?? 0) > 0}
    >
      <div>
        <Button component={Link} to={`/console/t/${Slug}/webhooks`}>
          {t('start.webhookGo')}
        </Button>
      </div>
      <SameByApi
        operation="Webhooks_CreateEndpoint"
        request={{
          Endpoint: { Tenant: ID, Name: 'Orders', URL: 'https://orders.example.com/hook' },
        }}
      />
    </Step>
  );
}
