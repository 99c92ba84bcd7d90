import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readCursor } from '../parts/cursor.ts';
import { tenantRoute } from '../shell/routes.tsx';

const membersView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'members',
  validateSearch: readCursor,
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
  validateSearch: readCursor,
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
