import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readListSearch } from '../parts/list-search.ts';
import { tenantRoute } from '../shell/routes.tsx';

const membersView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'members',
  validateSearch: readListSearch,
  staticData: {
    navigation: {
      text: 'people.members',
      icon: 'people',
      order: 10,
      permission: 'iam.users.read',
    },
  },
  component: lazyRouteComponent(() => import('./members-page.tsx'), 'MembersPage'),
});

const invitationsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'invitations',
  validateSearch: readListSearch,
  staticData: {
    navigation: {
      text: 'people.invitations',
      icon: 'mail',
      order: 11,
      permission: 'iam.invitations.read',
    },
  },
  component: lazyRouteComponent(() => import('./invitations-page.tsx'), 'InvitationsPage'),
});

export const peopleViews = [membersView, invitationsView] as const;
