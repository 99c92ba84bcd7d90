import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../shell/routes.tsx';
import { readSearch } from './search.ts';

const auditView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'audit',
  validateSearch: readSearch,
  staticData: {
    navigation: { text: 'audit.title', icon: 'history', order: 80, permission: 'iam.audit.read' },
  },
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
});

export const auditViews = [auditView] as const;
