import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readCursor } from '../parts/cursor.ts';
import { readListSearch } from '../parts/list-search.ts';
import { tenantRoute } from '../shell/routes.tsx';

const permission = 'iam.bots.read';

const listView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'bots',
  validateSearch: readListSearch,
  staticData: {
    navigation: { text: 'bots.bots', group: 'developers', icon: 'bot', order: 41, permission },
  },
  component: lazyRouteComponent(() => import('./bots-page.tsx'), 'BotsPage'),
});

const keysView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'bots/$bot',
  validateSearch: readCursor,
  staticData: { permission },
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});

const trustsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'bots/$bot/trusts',
  validateSearch: readCursor,
  staticData: { permission },
  component: lazyRouteComponent(() => import('./trusts-page.tsx'), 'TrustsPage'),
});

const rolesView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'bots/$bot/roles',
  staticData: { permission: 'iam.grants.read' },
  component: lazyRouteComponent(() => import('./roles-page.tsx'), 'RolesPage'),
});

export const botsViews = [listView, keysView, trustsView, rolesView] as const;
