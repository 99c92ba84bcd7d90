import type { ItemOf, ListName, OperationName, RequestOf } from '@bailiwick/client/client.ts';
import { pageOf, useAll, useCall } from '../parts/calls.ts';
import type { IconName } from '../parts/icon.tsx';
import { usePermissions, usePlatformPermissions } from '../parts/permissions.ts';
import { useTexts } from '../parts/texts.tsx';
import { useAccount } from './session.tsx';
import type { NavigationItem } from './spotlight.tsx';
import { useViewsBelow } from './views.ts';

/** A view or a record, and the address that it leads to. */
export type SearchResult = {
  id: string;
  label: string;
  detail?: string;
  icon?: IconName;
  to: string;
  search?: object;
};

export type ResultGroup = {
  id: string;
  label: string;
  icon: IconName;
  results: readonly SearchResult[];
};

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
export function usePageResults(pages: readonly NavigationItem[], query: string): ResultGroup {
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
  const results = [...all.values()]
    .filter(({ text }) => matches(text))
    .map(({ to, text, icon }): SearchResult => ({ id: `page-${to}`, label: text, icon, to }));
  return { id: 'pages', label: t('shell.navigation'), icon: 'home', results };
}

/** The records of a tenant that the user may see. */
export function useRecordResults(slug: string | undefined, query: string) {
  const tenant = useAccount().Tenants.find(({ Slug }) => Slug === slug);
  const { may } = usePermissions(tenant?.ID ?? '');
  const search: RecordSearch = {
    tenant: tenant?.ID ?? '',
    base: `/console/t/${slug}`,
    hasQuery: tenant !== undefined && query !== '',
    query,
    may,
  };
  const kinds = [useMembers(search), useGroups(search), useRoles(search), useBots(search)];
  return { isPending: kinds.some((kind) => kind.isPending), groups: kinds };
}

type RecordSearch = {
  /** The tenant's ID. */
  tenant: string;
  /** The address of the tenant's views. */
  base: string;
  hasQuery: boolean;
  query: string;
  may: (permission: string) => boolean;
};

type Kind = ResultGroup & { isPending: boolean };

function useMembers(search: RecordSearch): Kind {
  const { t } = useTexts();
  const { items, isPending } = useItems('Users_ListByTenant', 'iam.users.read', search);
  const to = `${search.base}/members`;
  const results = items.map(({ ID, Name, Email }): SearchResult => {
    return { id: ID, label: Name || Email, detail: Email, to: `${to}/${ID}` };
  });
  return { id: 'members', label: t('people.members'), icon: 'user', results, isPending };
}

function useGroups(search: RecordSearch): Kind {
  const { t } = useTexts();
  const { items, isPending } = useItems('Groups_ListByTenant', 'iam.groups.read', search);
  const to = `${search.base}/groups`;
  const results = items.map(({ ID, Name, Path }): SearchResult => {
    return { id: ID, label: Name || Path, detail: Path, to, search: { group: Path } };
  });
  return { id: 'groups', label: t('access.groups'), icon: 'tree', results, isPending };
}

/** A tenant has at most 1,000 roles, and their list has no search of its own. */
function useRoles({ tenant, base, hasQuery, query, may }: RecordSearch): Kind {
  const { t } = useTexts();
  const enabled = hasQuery && may('iam.roles.read');
  const request = { Tenant: tenant, Page: { Limit: 200 } };
  const { data, isPending } = useAll('Roles_ListByTenant', request, { enabled });
  const matches = matcher(query);
  const to = `${base}/roles`;
  const roles = hasQuery ? (data ?? []) : [];
  const results = roles
    .filter(({ Name, Slug }) => matches(Name, Slug))
    .slice(0, most)
    .map(
      ({ Name, Slug }): SearchResult => ({
        id: `role-${Slug}`,
        label: Name || Slug,
        detail: Slug,
        to,
        search: { role: Slug },
      }),
    );
  const label = t('access.roles');
  return { id: 'roles', label, icon: 'shield', results, isPending: enabled && isPending };
}

function useBots(search: RecordSearch): Kind {
  const { t } = useTexts();
  const { items, isPending } = useItems('Bots_List', 'iam.bots.read', search);
  const results = items.map(({ ID, Name }): SearchResult => {
    return { id: ID, label: Name, detail: ID, to: `${search.base}/bots/${ID}` };
  });
  return { id: 'bots', label: t('bots.bots'), icon: 'bot', results, isPending };
}

/** The first records that the list's own search finds. */
function useItems<Name extends ListName & OperationName>(
  operation: Name,
  permission: string,
  { tenant, hasQuery, query, may }: RecordSearch,
) {
  const enabled = hasQuery && may(permission);
  const request = { Tenant: tenant, Query: query, Page: { Limit: most } } as RequestOf<Name>;
  const { data, isPending } = useCall(operation, request, { enabled, staleTime: 60_000 });
  const items: readonly ItemOf<Name>[] = hasQuery ? (pageOf<Name>(data)?.items ?? []) : [];
  return { items, isPending: enabled && isPending };
}
