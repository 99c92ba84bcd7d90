import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readCursor } from '../parts/cursor.ts';
import { accountRoute } from '../shell/routes.tsx';
import { readAccessSearch } from './search.ts';

const profileView = createRoute({
  getParentRoute: () => accountRoute,
  path: '/',
  staticData: { navigation: { text: 'account.profile', icon: 'user', order: 0 } },
  component: lazyRouteComponent(() => import('./profile-page.tsx'), 'ProfilePage'),
});

const securityView = createRoute({
  getParentRoute: () => accountRoute,
  path: 'security',
  staticData: { navigation: { text: 'security.title', icon: 'key', order: 1 } },
  component: lazyRouteComponent(() => import('./security-page.tsx'), 'SecurityPage'),
});

const sessionsView = createRoute({
  getParentRoute: () => accountRoute,
  path: 'sessions',
  validateSearch: readCursor,
  staticData: { navigation: { text: 'account.sessions', icon: 'devices', order: 2 } },
  component: lazyRouteComponent(() => import('./sessions-page.tsx'), 'SessionsPage'),
});

const appsView = createRoute({
  getParentRoute: () => accountRoute,
  path: 'apps',
  validateSearch: readCursor,
  staticData: { navigation: { text: 'account.apps', icon: 'app', order: 3 } },
  component: lazyRouteComponent(() => import('./apps-page.tsx'), 'AppsPage'),
});

const accessView = createRoute({
  getParentRoute: () => accountRoute,
  path: 'access',
  validateSearch: readAccessSearch,
  staticData: { navigation: { text: 'account.access', icon: 'shield', order: 4 } },
  component: lazyRouteComponent(() => import('./access-page.tsx'), 'AccessPage'),
});

const tenantsView = createRoute({
  getParentRoute: () => accountRoute,
  path: 'tenants',
  staticData: { navigation: { text: 'account.tenants', icon: 'building', order: 5 } },
  component: lazyRouteComponent(() => import('./tenants-page.tsx'), 'TenantsPage'),
});

export const accountViews = [
  profileView,
  securityView,
  sessionsView,
  appsView,
  accessView,
  tenantsView,
] as const;
