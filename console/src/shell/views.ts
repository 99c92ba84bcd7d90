import { useRouter } from '@tanstack/react-router';
import type { IconName } from '../parts/icon.tsx';
import { usePermissions } from '../parts/permissions.ts';
import type { TextKey } from '../parts/text-keys.ts';

// The views, as their routes describe them in `staticData`.

/** The groups of the navigation, with their names and icons. */
export const navigationGroups = {
  people: { text: 'nav.people', icon: 'people' },
  access: { text: 'nav.access', icon: 'shield' },
  signIn: { text: 'nav.signIn', icon: 'login' },
  developers: { text: 'nav.developers', icon: 'code' },
} as const satisfies Record<string, { text: TextKey; icon: IconName }>;

export type NavigationGroup = keyof typeof navigationGroups;

export type Navigation = {
  text: TextKey;
  /** Views of one group follow each other. */
  group?: NavigationGroup;
  icon: IconName;
  /** Its place in the navigation. */
  order: number;
  /** Without this permission in the tenant, the view is neither linked nor shown. */
  permission?: string;
  /** The path of the view beside which this one is a tab. The navigation has one item for both. */
  tabOf?: string;
};

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    navigation?: Navigation;
    /** The permission of a view that the navigation does not list. */
    permission?: string;
  }
}

export type View = Navigation & { path: string };

/** The views below a route, in the order of the navigation. */
export function useViewsBelow(path: string): View[] {
  const { routesById } = useRouter();
  return Object.values(routesById)
    .flatMap(({ fullPath, options }) => {
      const navigation = options.staticData?.navigation;
      const isBelow = navigation && `${fullPath}/`.startsWith(`${path}/`);
      return isBelow ? [{ ...navigation, path: fullPath.replace(/\/$/, '') }] : [];
    })
    .sort((one, other) => one.order - other.order);
}

/** Whether a user sees any view of a tenant besides its overview. */
export const useIsAdministrator = (may: (permission: string) => boolean): boolean =>
  useViewsBelow('/console/t/$tenant').some(
    ({ permission }) => permission !== undefined && may(permission),
  );

/** Whether the way to a tenant is shown: unless an answer says that the user sees nothing there. */
export function useMayOpen(tenant: string): boolean {
  const { may, isKnown } = usePermissions(tenant);
  const isAdministrator = useIsAdministrator(may);
  return isAdministrator || !isKnown;
}
