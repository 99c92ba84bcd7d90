import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute, tenantRoute } from '../shell/routes.tsx';

export const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/console',
  component: lazyRouteComponent(() => import('./start-page.tsx'), 'StartPage'),
});

export const newTenantRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/console/new',
  component: lazyRouteComponent(() => import('./new-tenant-page.tsx'), 'NewTenantPage'),
});

export const operatorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/console/operator',
  component: lazyRouteComponent(() => import('./operator-page.tsx'), 'OperatorPage'),
});

export const tenantStartView = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/',
  staticData: { navigation: { text: 'shell.overview', icon: 'home', order: 0 } },
  component: lazyRouteComponent(() => import('./tenant-page.tsx'), 'TenantPage'),
});
