import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readSearch as readAuditSearch } from '../audit/search.ts';
import { readCursor } from '../parts/cursor.ts';
import { readListSearch } from '../parts/list-search.ts';
import { rootRoute } from '../shell/routes.tsx';
import { readSearch } from './search.ts';

export const platformRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/console/platform',
  component: lazyRouteComponent(() => import('./frame.tsx'), 'PlatformFrame'),
});

const healthView = createRoute({
  getParentRoute: () => platformRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./health-page.tsx'), 'HealthPage'),
});

const tenantsView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'tenants',
  validateSearch: (search) => ({ ...readCursor(search), ...readSearch(search) }),
  component: lazyRouteComponent(() => import('./tenants-page.tsx'), 'TenantsPage'),
});

const tenantView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'tenants/$id',
  component: lazyRouteComponent(() => import('./tenant-page.tsx'), 'TenantPage'),
});

const usersView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'users',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./users-page.tsx'), 'UsersPage'),
});

const userView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'users/$id',
  component: lazyRouteComponent(() => import('./user-page.tsx'), 'UserPage'),
});

const operatorsView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'operators',
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import('./operators-page.tsx'), 'OperatorsPage'),
});

const auditView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
});

const importView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'import',
  component: lazyRouteComponent(() => import('./import/import-page.tsx'), 'ImportPage'),
});

const mailsView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'mails',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./mails-page.tsx'), 'MailsPage'),
});

const keysView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'keys',
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});

export const platformViews = [
  healthView,
  tenantsView,
  tenantView,
  usersView,
  userView,
  operatorsView,
  auditView,
  importView,
  mailsView,
  keysView,
] as const;
