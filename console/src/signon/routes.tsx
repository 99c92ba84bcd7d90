import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readCursor } from '../parts/cursor.ts';
import { platformRoute } from '../platform/routes.tsx';
import { tenantRoute } from '../shell/routes.tsx';
import { readSetup } from './setups.ts';
import { readPreset } from './social.ts';

const domainsView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'domains',
  validateSearch: readCursor,
  staticData: {
    navigation: {
      text: 'signon.domains',
      group: 'signIn',
      icon: 'globe',
      order: 30,
      permission: 'iam.domains.read',
    },
  },
  component: lazyRouteComponent(() => import('./domains-page.tsx'), 'DomainsPage'),
});

const providersView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'sso',
  validateSearch: readCursor,
  staticData: {
    navigation: {
      text: 'signon.sso',
      group: 'signIn',
      icon: 'login',
      order: 31,
      permission: 'iam.sso.read',
    },
  },
  component: lazyRouteComponent(() => import('./providers-page.tsx'), 'ProvidersPage'),
});

const setupView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'sso/new',
  validateSearch: readSetup,
  staticData: { permission: 'iam.sso.write' },
  component: lazyRouteComponent(() => import('./setup-page.tsx'), 'SetupPage'),
});

const providerView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'sso/$provider',
  staticData: { permission: 'iam.sso.read' },
  component: lazyRouteComponent(() => import('./provider-page.tsx'), 'ProviderPage'),
});

const scimView = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'scim',
  validateSearch: readCursor,
  staticData: {
    navigation: {
      text: 'signon.scim',
      group: 'signIn',
      icon: 'book',
      order: 32,
      permission: 'iam.scim.write',
    },
  },
  component: lazyRouteComponent(() => import('./scim-page.tsx'), 'ScimPage'),
});

export const signonViews = [domainsView, providersView, setupView, providerView, scimView] as const;

const socialView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'providers',
  validateSearch: readCursor,
  component: lazyRouteComponent(() => import('./providers-page.tsx'), 'ProvidersPage'),
});

const socialSetupView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'providers/new',
  validateSearch: readPreset,
  component: lazyRouteComponent(() => import('./social-page.tsx'), 'SocialPage'),
});

const socialProviderView = createRoute({
  getParentRoute: () => platformRoute,
  path: 'providers/$provider',
  component: lazyRouteComponent(() => import('./provider-page.tsx'), 'ProviderPage'),
});

export const socialViews = [socialView, socialSetupView, socialProviderView] as const;
