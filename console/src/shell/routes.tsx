import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { createRootRoute, createRoute, Link, Outlet, useMatches } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page, TenantName } from '../parts/page.tsx';
import { usePermissions } from '../parts/permissions.ts';
import { useTexts } from '../parts/texts.tsx';
import { Frame } from './frame.tsx';
import { Proof } from './proof.tsx';
import { type Account, Session, useAccount } from './session.tsx';
import type { NavigationItem } from './spotlight.tsx';
import { useMayOpen, useViewsBelow, type View } from './views.ts';

// The routes above all views. An area adds its views below `tenantRoute` or `accountRoute`; what
// the navigation says about a view stands in its `staticData`.

export const rootRoute = createRootRoute({
  component: () => (
    <Session>
      <Outlet />
      <Proof />
    </Session>
  ),
  errorComponent: ({ error }) => (
    <Stack component="main" p="xl" maw={640} mx="auto">
      <FailureNotice error={error} onRetry={() => location.reload()} />
    </Stack>
  ),
  notFoundComponent: () => (
    <Frame items={[]}>
      <NotFound />
    </Frame>
  ),
});

export const tenantRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/console/t/$tenant',
  component: TenantFrame,
  notFoundComponent: NotFound,
});

export const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  component: AccountFrame,
  notFoundComponent: NotFound,
});

type Tenant = Account['Tenants'][number] & { may: (permission: string) => boolean };

const TenantContext = createContext<Tenant | undefined>(undefined);

/** The tenant of the view, and what the user may do in it. */
export function useTenant(): Tenant {
  const tenant = useContext(TenantContext);
  if (!tenant) throw new Error('there is no tenant outside of its routes');
  return tenant;
}

/** The tenant of the view; undefined in the views of the platform and of the account. */
export const useTenantIfAny = (): Tenant | undefined => useContext(TenantContext);

function TenantFrame() {
  const { t } = useTexts();
  const { tenant: slug } = tenantRoute.useParams();
  const tenant = useAccount().Tenants.find(({ Slug }) => Slug === slug);
  const { may, isPending, error } = usePermissions(tenant?.ID ?? '');
  const views = useViewsBelow('/console/t/$tenant');
  const view = useMatches().at(-1)?.staticData;
  const permission = view?.navigation?.permission ?? view?.permission;
  if (!tenant)
    return (
      <Frame items={[]}>
        <NotFound />
      </Frame>
    );
  const visible = views.filter(({ permission }) => permission === undefined || may(permission));
  const toItem = ({ text, icon, group }: View, { path }: View): NavigationItem => {
    return { to: path.replace('$tenant', slug), text: t(text), icon, ...(group && { group }) };
  };
  // An item leads to the first of its tabs that the user may see.
  const items = views
    .filter(({ tabOf }) => tabOf === undefined)
    .flatMap((view) => {
      const tabs = visible.filter(({ tabOf }) => tabOf === view.path);
      const first = visible.includes(view) ? view : tabs[0];
      return first ? [toItem(view, first)] : [];
    });
  return (
    <Frame items={items} pages={visible.map((view) => toItem(view, view))} tenant={slug}>
      <TenantContext value={{ ...tenant, may }}>
        <TenantName value={tenant.Name}>
          {isPending && <Skeleton height={160} />}
          {error && <FailureNotice error={error} />}
          {!isPending &&
            !error &&
            (permission === undefined || may(permission) ? <Outlet /> : <Denied />)}
        </TenantName>
      </TenantContext>
    </Frame>
  );
}

function AccountFrame() {
  const { t } = useTexts();
  const { Tenants } = useAccount();
  const items = useViewsBelow('/account').map(
    ({ path, text, icon }): NavigationItem => ({ to: path, text: t(text), icon }),
  );
  const [first, second] = Tenants;
  // Among several tenants the switcher is the way back.
  const mayOpen = useMayOpen(second ? '' : (first?.ID ?? ''));
  const back = first
    ? { to: `/console/t/${first.Slug}`, text: first.Name, icon: 'building' as const }
    : { to: '/console', text: t('shell.start'), icon: 'home' as const };
  return (
    <Frame items={second || !mayOpen ? items : [...items, back]}>
      <Outlet />
    </Frame>
  );
}

/** Stands in place of a view that the user may not see. */
function Denied() {
  const { t } = useTexts();
  const { Name, Slug } = useTenant();
  return (
    <Page title={t('denied.title')}>
      <Empty
        icon="shield"
        title={t('denied.who', { tenant: Name })}
        description={t('denied.about')}
      >
        <Button component={Link} to={`/console/t/${Slug}`}>
          {t('shell.overview')}
        </Button>
      </Empty>
    </Page>
  );
}

export function NotFound() {
  const { t } = useTexts();
  return (
    <Page title={t('missing.title')}>
      <Empty icon="warning" title={t('missing.what')} description={t('missing.about')}>
        <Group>
          <Button component={Link} to="/console">
            {t('shell.start')}
          </Button>
        </Group>
      </Empty>
    </Page>
  );
}
