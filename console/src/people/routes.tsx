import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { readListSearch } from '../parts/list-search.ts';
import { tenantRoute } from '../shell/routes.tsx';

const membersView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'members',
  validateSearch: readListSearch,
  staticData: {
    navigation: {
      text: 'people.members',
      group: 'people',
      icon: 'people',
      order: 10,
      permission: 'iam.users.read',
    },
  },
  component: lazyRouteComponent(() => import('./members-page.tsx'), 'MembersPage'),
});

const invitationsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'members/invitations',
  validateSearch: readListSearch,
  staticData: {
    navigation: {
      text: 'people.invitations',
      group: 'people',
      icon: 'people',
      order: 10,
      permission: 'iam.invitations.read',
      tabOf: '/console/t/$tenant/members',
    },
  },
  component: lazyRouteComponent(() => import('./invitations-page.tsx'), 'InvitationsPage'),
});

/** The former address of the invitations. */
const formerInvitationsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'invitations',
  validateSearch: readListSearch,
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: '/console/t/$tenant/members/invitations', params, search, replace: true });
  },
});

const memberView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'members/$member',
  staticData: { permission: 'iam.users.read' },
  component: lazyRouteComponent(() => import('./member-page.tsx'), 'MemberPage'),
});

export const peopleViews = [
  membersView,
  invitationsView,
  formerInvitationsView,
  memberView,
] as const;
