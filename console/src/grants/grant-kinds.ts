import type { ItemOf, RequestOf } from '@bailiwick/client/client.ts';
import { client, type ListPage, pageOf, useCall, useChange } from '../parts/calls.ts';
import type { TextKey } from '../parts/text-keys.ts';
import { useTenant } from '../shell/routes.tsx';
import { rights } from './rights.ts';

// The grants of people, groups and bots, which have operations of their own, as rows of one kind.

/** A change whose effect can be shown before it is made. */
export type Change = RequestOf<'Access_Plan'>['Changes'][number];

export const holders = ['people', 'groups', 'bots'] as const;
export type Holder = (typeof holders)[number];

export const holderTexts: Readonly<Record<Holder, TextKey>> = {
  people: 'access.people',
  groups: 'access.groups',
  bots: 'access.bots',
};

export type GrantRow = {
  id: string;
  /** The ID of a person or a bot, or the path of a group. */
  holder: string;
  role: string;
  resource: string;
  expiresAt: string | undefined;
  /** The change that removes it. */
  removal: Change;
  /** Gives the role again, as it was given. Absent if that would not restore everything. */
  restore: (() => Promise<unknown>) | undefined;
};

type Common = Pick<
  ItemOf<'Grants_ListByTenant'>,
  'ID' | 'Role' | 'Resource' | 'ExpiresAt' | 'CreatedBy'
>;

/** A person or a bot has granted it: the mappings of a provider manage their grants themselves. */
const isByHand = ({ CreatedBy }: Common) => /^(usr|bot)_/.test(CreatedBy);

/** Giving the role back does not restore an owner, who must accept it again first. */
const isRestorable = (grant: Common) => isByHand(grant) && grant.Role !== 'owner';

const rightOf = ({ Role, Resource }: Common) => ({ Role, Resource });

const endOf = ({ ExpiresAt }: Common) => (ExpiresAt === undefined ? {} : { ExpiresAt });

const rowOf = (
  grant: Common,
  holder: string,
  { removal, restore }: Pick<GrantRow, 'removal' | 'restore'>,
): GrantRow => ({
  id: grant.ID,
  holder,
  role: grant.Role,
  resource: grant.Resource,
  expiresAt: grant.ExpiresAt,
  removal,
  restore: isRestorable(grant) ? restore : undefined,
});

const rowsOf = <Item>(page: ListPage<Item> | undefined, toRow: (item: Item) => GrantRow) =>
  page && { items: page.items.map(toRow), next: page.next };

const operations = {
  people: 'Grants_ListByTenant',
  groups: 'GroupGrants_ListByTenant',
  bots: 'BotGrants_ListByTenant',
} as const;

/** The holder and the role whose grants are listed; '' for all. */
export type GrantSelection = { of: Holder; holder: string; role: string };

export function useGrants({ of, holder, role }: GrantSelection, cursor: string) {
  const { ID: Tenant } = useTenant();
  const options = (kind: Holder) => ({ enabled: of === kind, keepsPrevious: true });
  const page = { ...(role !== '' && { Role: role }), Page: { Limit: 25, Cursor: cursor } };
  const one = holder !== '';
  const requests = {
    people: { Tenant, ...(one && { UserID: holder }), ...page },
    groups: { Tenant, ...(one && { Group: holder }), ...page },
    bots: { Tenant, ...(one && { Bot: holder }), ...page },
  };
  const people = useCall('Grants_ListByTenant', requests.people, options('people'));
  const groups = useCall('GroupGrants_ListByTenant', requests.groups, options('groups'));
  const bots = useCall('BotGrants_ListByTenant', requests.bots, options('bots'));
  const chosen = { people, groups, bots }[of];
  const pages = {
    people: () =>
      rowsOf(pageOf<'Grants_ListByTenant'>(people.data), (grant) => {
        const { UserID } = grant;
        const subject = { Tenant, UserID, ...rightOf(grant) };
        return rowOf(grant, UserID, {
          removal: { Grants_Remove: { Grant: subject } },
          restore: () => client.call('Grants_Add', { Grant: { ...subject, ...endOf(grant) } }),
        });
      }),
    groups: () =>
      rowsOf(pageOf<'GroupGrants_ListByTenant'>(groups.data), (grant) => {
        const { Group } = grant;
        const subject = { Tenant, Group, ...rightOf(grant) };
        return rowOf(grant, Group, {
          removal: { GroupGrants_Remove: { Grant: subject } },
          restore: () => client.call('GroupGrants_Add', { Grant: { ...subject, ...endOf(grant) } }),
        });
      }),
    bots: () =>
      rowsOf(pageOf<'BotGrants_ListByTenant'>(bots.data), (grant) => {
        const { Bot } = grant;
        const subject = { Tenant, Bot, ...rightOf(grant) };
        return rowOf(grant, Bot, {
          removal: { BotGrants_Remove: { Grant: subject } },
          restore: () => client.call('BotGrants_Add', { Grant: { ...subject, ...endOf(grant) } }),
        });
      }),
  };
  return { page: pages[of](), query: chosen, operation: operations[of], request: requests[of] };
}

/** Makes a change that was planned: adds or removes one grant. */
export function useGrantChange() {
  const add = useChange('Grants_Add', { stale: rights });
  const remove = useChange('Grants_Remove', { stale: rights });
  const addToGroup = useChange('GroupGrants_Add', { stale: rights });
  const removeFromGroup = useChange('GroupGrants_Remove', { stale: rights });
  const addToBot = useChange('BotGrants_Add', { stale: rights });
  const removeFromBot = useChange('BotGrants_Remove', { stale: rights });
  const all = [add, remove, addToGroup, removeFromGroup, addToBot, removeFromBot];
  return {
    isPending: all.some(({ isPending }) => isPending),
    error: all.find(({ error }) => error)?.error ?? null,
    make(change: Change, onSuccess: () => void): void {
      if (change.Grants_Add) add.mutate(change.Grants_Add, { onSuccess });
      if (change.Grants_Remove) remove.mutate(change.Grants_Remove, { onSuccess });
      if (change.GroupGrants_Add) addToGroup.mutate(change.GroupGrants_Add, { onSuccess });
      if (change.GroupGrants_Remove)
        removeFromGroup.mutate(change.GroupGrants_Remove, { onSuccess });
      if (change.BotGrants_Add) addToBot.mutate(change.BotGrants_Add, { onSuccess });
      if (change.BotGrants_Remove) removeFromBot.mutate(change.BotGrants_Remove, { onSuccess });
    },
  };
}
