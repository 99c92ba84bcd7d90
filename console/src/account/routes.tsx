import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readCursor } from '../parts/cursor.ts';
import { accountRoute } from '../shell/routes.tsx';

const profileView = createRoute({
  getParentRoute: () => accountRoute,
  path: '/',
  staticData: { navigation: { text: 'account.profile', icon: 'user', order: 0 } },
  component: lazyRouteComponent(() => import('./profile-page.tsx'), 'ProfilePage'),
});

const sessionsView = createRoute({
  getParentRoute: () => accountRoute,
  path: 'sessions',
  validateSearch: readCursor,
  staticData: { navigation: { text: 'account.sessions', icon: 'devices', order: 1 } },
  component: lazyRouteComponent(() => import('./sessions-page.tsx'), 'SessionsPage'),
});

const tenantsView = createRoute({
  getParentRoute: () => accountRoute,
  path: 'tenants',
  staticData: { navigation: { text: 'account.tenants', icon: 'building', order: 2 } },
  component: lazyRouteComponent(() => import('./tenants-page.tsx'), 'TenantsPage'),
});

export const accountViews = [profileView, sessionsView, tenantsView] as const;
