import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../shell/routes.tsx';

const permission = 'iam.tenant.read';

const settingsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'settings',
  staticData: {
    navigation: { text: 'settings.settings', icon: 'gear', order: 90, permission },
  },
  component: lazyRouteComponent(() => import('./settings-page.tsx'), 'TenantSettingsPage'),
});

const brandingView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'branding',
  staticData: {
    navigation: {
      text: 'settings.branding',
      group: 'signIn',
      icon: 'brush',
      order: 33,
      permission,
    },
  },
  component: lazyRouteComponent(() => import('./branding-page.tsx'), 'BrandingPage'),
});

export const settingsViews = [settingsView, brandingView] as const;
