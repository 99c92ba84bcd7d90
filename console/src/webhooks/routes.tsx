import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readCursor } from '../parts/cursor.ts';
import { tenantRoute } from '../shell/routes.tsx';
import { readFilter } from './filter.ts';

const permission = 'iam.webhooks.read';

const endpointsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'webhooks',
  validateSearch: readCursor,
  staticData: {
    navigation: {
      text: 'webhooks.title',
      group: 'developers',
      icon: 'bell',
      order: 42,
      permission,
    },
  },
  component: lazyRouteComponent(() => import('./endpoints-page.tsx'), 'EndpointsPage'),
});

const endpointView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'webhooks/$endpoint',
  validateSearch: readFilter,
  staticData: { permission },
  component: lazyRouteComponent(() => import('./endpoint-page.tsx'), 'EndpointPage'),
});

const messageView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'webhooks/$endpoint/messages/$message',
  staticData: { permission },
  component: lazyRouteComponent(() => import('./message-page.tsx'), 'MessagePage'),
});

const chatPermission = 'iam.chat.read';
const chatPages = () => import('./chat-pages.tsx');

const chatEndpointsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'chat',
  validateSearch: readCursor,
  staticData: {
    navigation: {
      text: 'webhooks.chat',
      group: 'developers',
      icon: 'chat',
      order: 43,
      permission: chatPermission,
    },
  },
  component: lazyRouteComponent(chatPages, 'ChatEndpointsPage'),
});

const chatEndpointView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'chat/$endpoint',
  validateSearch: readFilter,
  staticData: { permission: chatPermission },
  component: lazyRouteComponent(chatPages, 'ChatEndpointPage'),
});

const chatMessageView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'chat/$endpoint/messages/$message',
  staticData: { permission: chatPermission },
  component: lazyRouteComponent(chatPages, 'ChatMessagePage'),
});

export const webhookViews = [
  endpointsView,
  endpointView,
  messageView,
  chatEndpointsView,
  chatEndpointView,
  chatMessageView,
] as const;
