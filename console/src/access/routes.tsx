import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readCursor } from '../parts/cursor.ts';
import { tenantRoute } from '../shell/routes.tsx';
import { readGroup, readHolder, readQuestion } from './search.ts';

const groupsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'groups',
  validateSearch: readGroup,
  staticData: {
    navigation: { text: 'access.groups', icon: 'people', order: 20, permission: 'iam.groups.read' },
  },
  component: lazyRouteComponent(() => import('./groups-page.tsx'), 'GroupsPage'),
});

const rolesView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'roles',
  validateSearch: readCursor,
  staticData: {
    navigation: { text: 'access.roles', icon: 'key', order: 21, permission: 'iam.roles.read' },
  },
  component: lazyRouteComponent(() => import('./roles-page.tsx'), 'RolesPage'),
});

const grantsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'grants',
  validateSearch: readHolder,
  staticData: {
    navigation: { text: 'access.grants', icon: 'shield', order: 22, permission: 'iam.grants.read' },
  },
  component: lazyRouteComponent(() => import('./grants-page.tsx'), 'GrantsPage'),
});

const whyView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'why',
  validateSearch: readQuestion,
  staticData: {
    navigation: { text: 'access.why', icon: 'check', order: 23, permission: 'iam.grants.read' },
  },
  component: lazyRouteComponent(() => import('./why-page.tsx'), 'WhyPage'),
});

export const accessViews = [groupsView, rolesView, grantsView, whyView] as const;
