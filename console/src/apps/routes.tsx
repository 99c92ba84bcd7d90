import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readCursor } from '../parts/cursor.ts';
import { platformRoute } from '../platform/routes.tsx';
import { tenantRoute } from '../shell/routes.tsx';
import { readChoice } from './choice.ts';

// The same views for the apps of a tenant, and for those of the platform.

const list = lazyRouteComponent(() => import('./apps-page.tsx'), 'AppsPage');
const create = lazyRouteComponent(() => import('./new-app-page.tsx'), 'NewAppPage');
const connect = lazyRouteComponent(() => import('./connect-page.tsx'), 'ConnectPage');
const settings = lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage');
const signOuts = lazyRouteComponent(() => import('./sign-outs-page.tsx'), 'SignOutsPage');

const tenantParent = () => tenantRoute;
const permission = 'iam.apps.read';

export const appViews = [
  createRoute({
    getParentRoute: tenantParent,
    path: 'apps',
    validateSearch: readCursor,
    staticData: {
      navigation: { text: 'apps.apps', group: 'developers', icon: 'app', order: 40, permission },
    },
    component: list,
  }),
  createRoute({
    getParentRoute: tenantParent,
    path: 'apps/new',
    validateSearch: readChoice,
    staticData: { permission: 'iam.apps.write' },
    component: create,
  }),
  createRoute({
    getParentRoute: tenantParent,
    path: 'apps/$app',
    staticData: { permission },
    component: connect,
  }),
  createRoute({
    getParentRoute: tenantParent,
    path: 'apps/$app/settings',
    staticData: { permission },
    component: settings,
  }),
  createRoute({
    getParentRoute: tenantParent,
    path: 'apps/$app/sign-outs',
    validateSearch: readCursor,
    staticData: { permission },
    component: signOuts,
  }),
] as const;

const platformParent = () => platformRoute;

export const platformAppViews = [
  createRoute({
    getParentRoute: platformParent,
    path: 'apps',
    validateSearch: readCursor,
    component: list,
  }),
  createRoute({
    getParentRoute: platformParent,
    path: 'apps/new',
    validateSearch: readChoice,
    component: create,
  }),
  createRoute({ getParentRoute: platformParent, path: 'apps/$app', component: connect }),
  createRoute({ getParentRoute: platformParent, path: 'apps/$app/settings', component: settings }),
  createRoute({
    getParentRoute: platformParent,
    path: 'apps/$app/sign-outs',
    validateSearch: readCursor,
    component: signOuts,
  }),
] as const;
