import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readCursor } from '../parts/cursor.ts';
import { tenantRoute } from '../shell/routes.tsx';
import { readFilter } from './filter.ts';

const endpointsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'webhooks',
  validateSearch: readCursor,
  staticData: {
    navigation: {
      text: 'webhooks.title',
      icon: 'bell',
      order: 50,
      permission: 'iam.webhooks.read',
    },
  },
  component: lazyRouteComponent(() => import('./endpoints-page.tsx'), 'EndpointsPage'),
});

const endpointView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'webhooks/$endpoint',
  validateSearch: readFilter,
  component: lazyRouteComponent(() => import('./endpoint-page.tsx'), 'EndpointPage'),
});

const messageView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'webhooks/$endpoint/messages/$message',
  component: lazyRouteComponent(() => import('./message-page.tsx'), 'MessagePage'),
});

export const webhookViews = [endpointsView, endpointView, messageView] as const;
