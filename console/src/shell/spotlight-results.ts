import type { ItemOf, ListName, OperationName, RequestOf } from '@bailiwick/client/client.ts';
import { pageOf, useCall } from '../parts/calls.ts';
import type { IconName } from '../parts/icon.tsx';
import { usePermissions, usePlatformPermissions } from '../parts/permissions.ts';
import { useTexts } from '../parts/texts.tsx';
import type { NavigationItem } from './frame.tsx';
import { useAccount } from './session.tsx';
import { useViewsBelow } from './views.ts';

/** A view or a record, and the address that it leads to. */
export type Found = {
  id: string;
  label: string;
  about?: string;
  icon?: IconName;
  to: string;
  search?: object;
};

export type FoundGroup = { id: string; label: string; icon: IconName; found: readonly Found[] };

/** The most results of a kind. */
const most = 6;

/** Whether a text has every typed word, in any case. */
const matcher = (query: string) => {
  const words = query.toLowerCase().split(/\s+/);
  return (...texts: string[]) => {
    const text = texts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
};

/** The views of the frame, of the user's account, and of the platform for its operators. */
export function usePagesFound(pages: readonly NavigationItem[], query: string): FoundGroup {
  const { t } = useTexts();
  const { isOperator } = usePlatformPermissions();
  const own = useViewsBelow('/account').map(({ path, text, icon }): NavigationItem => {
    return { to: path, text: t(text), icon };
  });
  const platform: NavigationItem[] = isOperator
    ? [{ to: '/console/platform', text: t('shell.platform'), icon: 'shield' }]
    : [];
  const all = new Map([...pages, ...own, ...platform].map((page) => [page.to, page]));
  const matches = matcher(query);
  const found = [...all.values()]
    .filter(({ text }) => matches(text))
    .map(({ to, text, icon }): Found => ({ id: `page-${to}`, label: text, icon, to }));
  return { id: 'pages', label: t('shell.navigation'), icon: 'home', found };
}

/** The records of a tenant that the user may see. */
export function useRecordsFound(slug: string | undefined, query: string) {
  const tenant = useAccount().Tenants.find(({ Slug }) => Slug === slug);
  const { may } = usePermissions(tenant?.ID ?? '');
  const asks: Asks = {
    tenant: tenant?.ID ?? '',
    base: `/console/t/${slug}`,
    isAsked: tenant !== undefined && query !== '',
    matches: matcher(query),
    may,
  };
  const kinds = [useMembers(asks), useGroups(asks), useRoles(asks), useBots(asks)];
  return {
    isPending: kinds.some((kind) => kind.isPending),
    groups: kinds.map((kind) => ({ ...kind, found: kind.found.slice(0, most) })),
  };
}

type Asks = {
  /** The tenant's ID. */
  tenant: string;
  /** The address of the tenant's views. */
  base: string;
  isAsked: boolean;
  matches: (...texts: string[]) => boolean;
  may: (permission: string) => boolean;
};

type Kind = FoundGroup & { isPending: boolean };

function useMembers(asks: Asks): Kind {
  const { t } = useTexts();
  const { items, isPending } = useItems('Users_ListByTenant', 'iam.users.read', asks);
  const mayExplain = asks.may('iam.grants.read');
  const found = items
    .filter(({ Name, Email, ID }) => asks.matches(Name, Email, ID))
    .map(({ ID, Name, Email }): Found => {
      const place = mayExplain
        ? { to: `${asks.base}/why`, search: { subject: ID } }
        : { to: `${asks.base}/members` };
      return { id: ID, label: Name || Email, about: Email, ...place };
    });
  return { id: 'members', label: t('people.members'), icon: 'user', found, isPending };
}

function useGroups(asks: Asks): Kind {
  const { t } = useTexts();
  const { items, isPending } = useItems('Groups_ListByTenant', 'iam.groups.read', asks);
  const to = `${asks.base}/groups`;
  const found = items
    .filter(({ Name, Path }) => asks.matches(Name, Path))
    .map(({ ID, Name, Path }): Found => {
      return { id: ID, label: Name || Path, about: Path, to, search: { group: Path } };
    });
  return { id: 'groups', label: t('access.groups'), icon: 'people', found, isPending };
}

function useRoles(asks: Asks): Kind {
  const { t } = useTexts();
  const { items, isPending } = useItems('Roles_ListByTenant', 'iam.roles.read', asks);
  const to = `${asks.base}/roles`;
  const found = items
    .filter(({ Name, Slug }) => asks.matches(Name, Slug))
    .map(({ Name, Slug }): Found => ({ id: `role-${Slug}`, label: Name || Slug, about: Slug, to }));
  return { id: 'roles', label: t('access.roles'), icon: 'key', found, isPending };
}

function useBots(asks: Asks): Kind {
  const { t } = useTexts();
  const { items, isPending } = useItems('Bots_List', 'iam.bots.read', asks);
  const found = items
    .filter(({ Name, ID }) => asks.matches(Name, ID))
    .map(({ ID, Name }): Found => {
      return { id: ID, label: Name, about: ID, to: `${asks.base}/bots/${ID}` };
    });
  return { id: 'bots', label: t('bots.bots'), icon: 'bot', found, isPending };
}

/** The first 200 records of a list, which the search looks at. */
function useItems<Name extends ListName & OperationName>(
  operation: Name,
  permission: string,
  { tenant, isAsked, may }: Asks,
) {
  const enabled = isAsked && may(permission);
  const request = { Tenant: tenant, Page: { Limit: 200 } } as RequestOf<Name>;
  const { data, isPending } = useCall(operation, request, { enabled, staleTime: 60_000 });
  const items: readonly ItemOf<Name>[] = isAsked ? (pageOf<Name>(data)?.items ?? []) : [];
  return { items, isPending: enabled && isPending };
}
