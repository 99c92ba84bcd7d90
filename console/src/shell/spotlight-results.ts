import type { ItemOf, ListName, OperationName, RequestOf } from '@bailiwick/client/client.ts';
import { pageOf, useAll, useCall } from '../parts/calls.ts';
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
  detail?: string;
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
    query,
    may,
  };
  const kinds = [useMembers(asks), useGroups(asks), useRoles(asks), useBots(asks)];
  return { isPending: kinds.some((kind) => kind.isPending), groups: kinds };
}

type Asks = {
  /** The tenant's ID. */
  tenant: string;
  /** The address of the tenant's views. */
  base: string;
  isAsked: boolean;
  query: string;
  may: (permission: string) => boolean;
};

type Kind = FoundGroup & { isPending: boolean };

function useMembers(asks: Asks): Kind {
  const { t } = useTexts();
  const { items, isPending } = useItems('Users_ListByTenant', 'iam.users.read', asks);
  const to = `${asks.base}/members`;
  const found = items.map(({ ID, Name, Email }): Found => {
    return { id: ID, label: Name || Email, detail: Email, to, search: { query: Email } };
  });
  return { id: 'members', label: t('people.members'), icon: 'user', found, isPending };
}

function useGroups(asks: Asks): Kind {
  const { t } = useTexts();
  const { items, isPending } = useItems('Groups_ListByTenant', 'iam.groups.read', asks);
  const to = `${asks.base}/groups`;
  const found = items.map(({ ID, Name, Path }): Found => {
    return { id: ID, label: Name || Path, detail: Path, to, search: { group: Path } };
  });
  return { id: 'groups', label: t('access.groups'), icon: 'people', found, isPending };
}

/** A tenant has at most 1,000 roles, and their list has no search of its own. */
function useRoles({ tenant, base, isAsked, query, may }: Asks): Kind {
  const { t } = useTexts();
  const enabled = isAsked && may('iam.roles.read');
  const request = { Tenant: tenant, Page: { Limit: 200 } };
  const { data, isPending } = useAll('Roles_ListByTenant', request, { enabled });
  const matches = matcher(query);
  const to = `${base}/roles`;
  const roles = isAsked ? (data ?? []) : [];
  const found = roles
    .filter(({ Name, Slug }) => matches(Name, Slug))
    .slice(0, most)
    .map(
      ({ Name, Slug }): Found => ({ id: `role-${Slug}`, label: Name || Slug, detail: Slug, to }),
    );
  const label = t('access.roles');
  return { id: 'roles', label, icon: 'key', found, isPending: enabled && isPending };
}

function useBots(asks: Asks): Kind {
  const { t } = useTexts();
  const { items, isPending } = useItems('Bots_List', 'iam.bots.read', asks);
  const found = items.map(({ ID, Name }): Found => {
    return { id: ID, label: Name, detail: ID, to: `${asks.base}/bots/${ID}` };
  });
  return { id: 'bots', label: t('bots.bots'), icon: 'bot', found, isPending };
}

/** The first records that the list's own search finds. */
function useItems<Name extends ListName & OperationName>(
  operation: Name,
  permission: string,
  { tenant, isAsked, query, may }: Asks,
) {
  const enabled = isAsked && may(permission);
  const request = { Tenant: tenant, Query: query, Page: { Limit: most } } as RequestOf<Name>;
  const { data, isPending } = useCall(operation, request, { enabled, staleTime: 60_000 });
  const items: readonly ItemOf<Name>[] = isAsked ? (pageOf<Name>(data)?.items ?? []) : [];
  return { items, isPending: enabled && isPending };
}
