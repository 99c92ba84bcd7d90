import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { tenantRoute } from '../shell/routes.tsx';
import { readGrants, readGroup, readQuestion, readRole } from './search.ts';

const groupsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'groups',
  validateSearch: readGroup,
  staticData: {
    navigation: {
      text: 'access.groups',
      group: 'people',
      icon: 'tree',
      order: 11,
      permission: 'iam.groups.read',
    },
  },
  component: lazyRouteComponent(() => import('./groups-page.tsx'), 'GroupsPage'),
});

const rolesView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'roles',
  validateSearch: readRole,
  staticData: {
    navigation: {
      text: 'access.roles',
      group: 'access',
      icon: 'shield',
      order: 20,
      permission: 'iam.roles.read',
    },
  },
  component: lazyRouteComponent(() => import('./roles-page.tsx'), 'RolesPage'),
});

const grantsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'roles/grants',
  validateSearch: readGrants,
  staticData: {
    navigation: {
      text: 'access.grants',
      group: 'access',
      icon: 'shield',
      order: 20,
      permission: 'iam.grants.read',
      tabOf: '/console/t/$tenant/roles',
    },
  },
  component: lazyRouteComponent(() => import('./grants-page.tsx'), 'GrantsPage'),
});

/** The former address of the grants. */
const formerGrantsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'grants',
  validateSearch: readGrants,
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: '/console/t/$tenant/roles/grants', params, search, replace: true });
  },
});

const whyView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'why',
  validateSearch: readQuestion,
  staticData: {
    navigation: {
      text: 'access.why',
      group: 'access',
      icon: 'question',
      order: 21,
      permission: 'iam.grants.read',
    },
  },
  component: lazyRouteComponent(() => import('./why-page.tsx'), 'WhyPage'),
});

export const accessViews = [groupsView, rolesView, grantsView, formerGrantsView, whyView] as const;
