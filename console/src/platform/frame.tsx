import { Button, Skeleton } from '@mantine/core';
import { Link, Outlet, useMatches } from '@tanstack/react-router';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import type { IconName } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Frame } from '../shell/frame.tsx';

type View = { to: string; text: TextKey; icon: IconName; permission: string };

/** The views of the area in the order of the navigation, with the permission that each needs. */
const views: readonly View[] = [
  {
    to: '/console/platform',
    text: 'platform.health',
    icon: 'devices',
    permission: 'iam.platform.queues.read',
  },
  {
    to: '/console/platform/tenants',
    text: 'platform.tenants',
    icon: 'building',
    permission: 'iam.platform.tenants.read',
  },
  {
    to: '/console/platform/users',
    text: 'platform.users',
    icon: 'people',
    permission: 'iam.platform.users.read',
  },
  {
    to: '/console/platform/operators',
    text: 'platform.operators',
    icon: 'user',
    permission: 'iam.platform.grants.read',
  },
  {
    to: '/console/platform/audit',
    text: 'audit.title',
    icon: 'history',
    permission: 'iam.platform.audit.read',
  },
  {
    to: '/console/platform/import',
    text: 'import.title',
    icon: 'upload',
    permission: 'iam.platform.users.write',
  },
  {
    to: '/console/platform/apps',
    text: 'apps.apps',
    icon: 'app',
    permission: 'iam.platform.apps.read',
  },
  {
    to: '/console/platform/providers',
    text: 'signon.social',
    icon: 'shield',
    permission: 'iam.platform.sso.read',
  },
  {
    to: '/console/platform/mails',
    text: 'platform.mails',
    icon: 'mail',
    permission: 'iam.platform.mail.read',
  },
  {
    to: '/console/platform/keys',
    text: 'platform.keys',
    icon: 'key',
    permission: 'iam.platform.keys.read',
  },
];

/** The view at an address, or the list that the view belongs to. */
const viewAt = (pathname: string): View | undefined =>
  views
    .filter(({ to }) => `${pathname}/`.startsWith(`${to}/`))
    .sort((one, other) => other.to.length - one.to.length)[0];

/** The frame of the operators' views. */
export function PlatformFrame() {
  const { t } = useTexts();
  const { may, isPending, error } = usePlatformPermissions();
  const view = viewAt(useMatches().at(-1)?.pathname.replace(/\/$/, '') ?? '');
  const open = views.filter(({ permission }) => may(permission));
  const isOpen = view !== undefined && may(view.permission);
  return (
    <Frame
      items={[
        ...open.map(({ to, text, icon }) => ({ to, text: t(text), icon })),
        { to: '/console', text: t('platform.back'), icon: 'home' },
      ]}
    >
      {isPending && <Skeleton height={160} />}
      {error && <FailureNotice error={error} />}
      {!isPending && !error && (isOpen ? <Outlet /> : <Closed />)}
    </Frame>
  );
}

function Closed() {
  const { t } = useTexts();
  return (
    <Page title={t('denied.title')}>
      <Empty icon="shield" title={t('platform.closed')} description={t('platform.closedAbout')}>
        <Button component={Link} to="/console">
          {t('shell.start')}
        </Button>
      </Empty>
    </Page>
  );
}
