import { createRouter } from '@tanstack/react-router';
import { accessViews } from './access/routes.tsx';
import { accountViews } from './account/routes.tsx';
import { appViews, platformAppViews } from './apps/routes.tsx';
import { auditViews } from './audit/routes.tsx';
import { botsViews } from './bots/routes.tsx';
import { root } from './parts/place.ts';
import { peopleViews } from './people/routes.tsx';
import { platformRoute, platformViews } from './platform/routes.tsx';
import { settingsViews } from './settings/routes.tsx';
import { accountRoute, rootRoute, tenantRoute } from './shell/routes.tsx';
import { signonViews, socialViews } from './signon/routes.tsx';
import { newTenantRoute, operatorRoute, startRoute, tenantStartView } from './start/routes.tsx';
import { webhookViews } from './webhooks/routes.tsx';

// Every view of the console. An area lists its own in its routes.tsx.

const routeTree = rootRoute.addChildren([
  startRoute,
  newTenantRoute,
  operatorRoute,
  tenantRoute.addChildren([
    tenantStartView,
    ...peopleViews,
    ...accessViews,
    ...appViews,
    ...auditViews,
    ...botsViews,
    ...settingsViews,
    ...signonViews,
    ...webhookViews,
  ]),
  platformRoute.addChildren([...platformViews, ...platformAppViews, ...socialViews]),
  accountRoute.addChildren([...accountViews]),
]);

export const router = createRouter({
  routeTree,
  basepath: root,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
