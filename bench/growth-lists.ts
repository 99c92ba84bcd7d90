import { operation, type Shot } from './driver.ts';
import { cursorAfter, filledId } from './generate.ts';
import {
  again,
  type Comparison,
  each,
  type Installation,
  limit,
  memberId,
  Page,
  type Place,
} from './growth-places.ts';

// The lists and figures of tenants that G39 compares, as the console's views ask for them.

/** The lists behind the console's views of a tenant. */
const views: ReadonlyArray<readonly [name: string, body?: object]> = [
  ['Tenants_Get'],
  ['Tenants_GetCounts'],
  ['Bots_GetCounts'],
  ['Webhooks_GetStats'],
  ['Users_ListByTenant', { Page }],
  ['TenantMembers_List', { Page, WithNames: true }],
  ['TenantMembers_List', { Page, Query: 'family1', Sort: 'name' }],
  ['TenantMembers_List', { Page, Status: 'disabled' }],
  ['TenantInvitations_List', { Page, Status: 'pending' }],
  ['Groups_ListByTenant', { Page }],
  ['Groups_ListByTenant', { Page, Query: 'm1', Sort: 'path' }],
  ['Groups_ListMembers', { Page, Group: 'g1/m1', Effective: true }],
  ['Roles_ListByTenant', { Page }],
  ['Grants_ListByTenant', { Page, IncludePlatform: true }],
  ['GroupGrants_ListByTenant', { Page }],
  ['BotGrants_ListByTenant', { Page, IncludePlatform: true }],
  ['Bots_List', { Page }],
  ['Webhooks_ListEndpoints', { Page }],
  ['Webhooks_ListAttempts', { Page }],
  ['Webhooks_ListAttempts', { Page, Outcome: 'failed' }],
  ['Apps_List', { Page }],
  ['Domain_List', { Page }],
  ['Sso_ListProviders', { Page }],
  ['Scim_ListNotices', { Page }],
];

const unnamed = new Set(['Page', 'WithNames']);

/** The name of a call with the fields that select. */
const titleOf = (name: string, body: object) =>
  [
    name,
    ...Object.entries(body)
      .filter(([field]) => !unnamed.has(field))
      .map(([field, value]) => `${field} ${JSON.stringify(value)}`),
  ].join(', ');

export function tenantLists(installation: Installation): Comparison[] {
  const { stack } = installation;
  const deepGrant = ({ number, u }: Place) =>
    cursorAfter(stack, ['Grants_ListByTenant', filledId('tnt', number)], filledId('grt', u));
  return [
    ...views.map(([name, body = {}]) =>
      each(installation, titleOf(name, body), ({ tenant, token }) =>
        operation(name, { Tenant: tenant, ...body }, token),
      ),
    ),
    each(installation, 'Grants_List of a member', (place, n) =>
      operation('Grants_List', { UserID: memberId(place, n), Page }, place.token),
    ),
    each(installation, 'Groups_ListMemberGroups of a member', (place, n) =>
      operation(
        'Groups_ListMemberGroups',
        { UserID: memberId(place, n), Effective: true, Page },
        place.token,
      ),
    ),
    each(installation, 'Grants_ListByTenant, a further page', (place) =>
      operation(
        'Grants_ListByTenant',
        { Tenant: place.tenant, Page: { Limit: limit, Cursor: deepGrant(place) } },
        place.token,
      ),
    ),
  ];
}

const day = 86_400_000;
const ago = (days: number): string => new Date(Date.now() - days * day).toISOString();

/** Each filter of the audit, and two together. */
const filters: Readonly<Record<string, (place: Place) => object>> = {
  'no filter': () => ({}),
  Actions: () => ({ Filter: { Actions: ['grant.added'] } }),
  'three Actions': () => ({ Filter: { Actions: ['grant.added', 'role.saved', 'bot.saved'] } }),
  ActionPrefix: () => ({ Filter: { ActionPrefix: 'group.' } }),
  OperationPrefix: () => ({ Filter: { OperationPrefix: 'Groups_' } }),
  ActorIDs: ({ u }) => ({ Filter: { ActorIDs: [filledId('usr', u)] } }),
  'TargetIDs of a person': ({ u }) => ({ Filter: { TargetIDs: [filledId('usr', u)] } }),
  // Every tenth user is in the largest tenant, and so is one of five roles.
  'TargetIDs of a role': ({ number }) => ({
    Filter: { TargetIDs: [number === 1 ? 'role-4' : 'role-1'] },
  }),
  IP: ({ u }) => ({ Filter: { IP: `10.0.${u % 40}.1` } }),
  Result: () => ({ Filter: { Result: 'denied' } }),
  'From and To, a day': () => ({ Filter: { From: ago(40), To: ago(39) } }),
  'From, half of all': () => ({ Filter: { From: ago(45) } }),
  'Actions and Result': () => ({ Filter: { Actions: ['grant.added'], Result: 'denied' } }),
  'oldest first': () => ({ OldestFirst: true }),
};

const bindingOfAll = '{"actions":null,"actorIds":null,"ip":null,"result":null,"targetIds":null}';

export function audits(installation: Installation): Comparison[] {
  const { stack } = installation;
  return [
    ...Object.entries(filters).map(([filter, fieldsOf]) =>
      each(installation, `Audit_List, ${filter}`, (place) =>
        operation('Audit_List', { Tenant: place.tenant, Page, ...fieldsOf(place) }, place.token),
      ),
    ),
    each(installation, 'Audit_List, from the middle', ({ tenant, token }) => {
      const Cursor = cursorAfter(stack, ['Audit_List', tenant, bindingOfAll], '450');
      return operation('Audit_List', { Tenant: tenant, Page: { Limit: limit, Cursor } }, token);
    }),
    each(installation, 'Audit_ListByUser', (place, n) =>
      operation(
        'Audit_ListByUser',
        { UserID: memberId(place, n), Tenant: place.tenant, Page },
        place.token,
      ),
    ),
  ];
}

/** The lists and figures of the largest tenant, with a tenth of all people. */
export function largestTenant(installation: Installation): Comparison[] {
  const { stack, users, largest } = installation;
  const { tenant, token } = largest;
  const last = Math.max(users / 10 - limit - 1, 1) * 10;
  const call = (name: string, body: object) => operation(name, { Tenant: tenant, ...body }, token);
  const after = (name: string, key: string, ...more: string[]) => ({
    Page: { Limit: limit, Cursor: cursorAfter(stack, [name, tenant, ...more], key) },
  });
  const listed = views.filter(([name, body = {}]) => !('Group' in body) && name !== 'Tenants_Get');
  const scim = (query: string): Shot => ({
    method: 'GET',
    path: `/scim/v2/${tenant}/${query}`,
    headers: { authorization: `Bearer ${installation.scimKey}` },
  });
  return [
    ...listed.map(([name, body = {}]) => [titleOf(name, body), call(name, body)] as const),
    ...Object.entries(filters).map(
      ([filter, fieldsOf]) =>
        [`Audit_List, ${filter}`, call('Audit_List', { Page, ...fieldsOf(largest) })] as const,
    ),
    [
      'Users_ListByTenant, the last page',
      call('Users_ListByTenant', after('Users_ListByTenant', filledId('usr', last))),
    ] as const,
    [
      'TenantMembers_List, the last page',
      call('TenantMembers_List', after('TenantMembers_List', filledId('usr', last))),
    ] as const,
    [
      'TenantMembers_List, one by address',
      call('TenantMembers_List', { Page, Query: `p${last}@` }),
    ] as const,
    [
      'Groups_ListMembers, effective',
      call('Groups_ListMembers', { Page, Group: 'staff', Effective: true }),
    ] as const,
    [
      'Audit_List, from the middle',
      call('Audit_List', after('Audit_List', String(users / 2), bindingOfAll)),
    ] as const,
    [
      'Access_ListSubjects, all members',
      call('Access_ListSubjects', { Permission: 'app.part0.read', Page }),
    ] as const,
    [
      'Access_ListSubjects, through groups',
      call('Access_ListSubjects', { Permission: 'app.part1.read', Page }),
    ] as const,
    [
      'SCIM, Users by userName',
      scim(`Users?filter=${encodeURIComponent(`userName eq "p${last}@example.com"`)}`),
    ] as const,
    ['SCIM, the first Users', scim('Users?count=50')] as const,
  ].map(([what, shot]) => again(`largest tenant: ${what}`, shot));
}
