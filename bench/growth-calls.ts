import { newAddress, password } from '@bailiwick/test/support/people.ts';
import { operation } from './driver.ts';
import { cursorAfter, filledId } from './generate.ts';
import { perBlock } from './generate-installation.ts';
import { audits, largestTenant, tenantLists } from './growth-lists.ts';
import {
  again,
  type Comparison,
  each,
  type Installation,
  limit,
  memberId,
  memberOf,
  nextMember,
  Page,
  type Place,
  shotsPerTurn,
} from './growth-places.ts';
import { type Session, sessionsOf } from './sessions.ts';

// The calls that G39 compares. Each is asked by the owners of tenants all over the installation, or
// by the owner of the largest one, about other rows each time.

const signInsPerTurn = 20;

export const comparisonsOf = (installation: Installation): Comparison[] => [
  ...people(installation),
  ...decisions(installation),
  ...tenantLists(installation),
  ...audits(installation),
  ...largestTenant(installation),
  ...platform(installation),
  ...changes(installation),
];

function people(installation: Installation): Comparison[] {
  const { stack, users } = installation;
  const anybody = (n: number) => 1 + ((n * 7919) % users);
  return [
    {
      what: 'Account_Login',
      prepare: (turn) =>
        Array.from({ length: signInsPerTurn }, (_, n) =>
          operation('Account_Login', {
            Email: `p${anybody(turn * signInsPerTurn + n)}@example.com`,
            Password: password,
          }),
        ),
    },
    {
      what: 'Account_Get, first call of a session',
      async prepare(turn) {
        const ids = Array.from({ length: shotsPerTurn }, (_, n) =>
          filledId('usr', anybody(turn * shotsPerTurn + n)),
        );
        const sessions = await sessionsOf(stack, [...new Set(ids)]);
        return sessions.map(({ token }: Session) => operation('Account_Get', {}, token));
      },
    },
    each(installation, 'Account_Get', ({ token }) => operation('Account_Get', {}, token)),
    each(installation, 'Sessions_List', ({ token }) => operation('Sessions_List', { Page }, token)),
    each(installation, 'Tenants_ListMine', ({ token }) =>
      operation('Tenants_ListMine', { Page }, token),
    ),
    each(installation, 'Users_GetByEmail', (place, n) =>
      operation('Users_GetByEmail', { Email: `p${memberOf(place, n)}@example.com` }, place.token),
    ),
    each(installation, 'Users_Get', (place, n) =>
      operation('Users_Get', { UserID: memberId(place, n) }, place.token),
    ),
  ];
}

function decisions(installation: Installation): Comparison[] {
  const decision = (label: string, name: string, body: (place: Place, n: number) => object) =>
    each(installation, label, (place, n) =>
      operation(name, { Tenant: place.tenant, ...body(place, n) }, place.token),
    );
  const ask = (Permission: string) => (place: Place, n: number) => ({
    Subject: memberId(place, n),
    Permission,
  });
  return [
    each(installation, 'Access_Check, first call about a member', (place, _, n) =>
      operation(
        'Access_Check',
        { Tenant: place.tenant, Subject: nextMember(place, n), Permission: 'app.part0.read' },
        place.token,
      ),
    ),
    decision('Access_Check, direct grant', 'Access_Check', ask('app.part0.read')),
    decision('Access_Check, group above', 'Access_Check', ask('app.part1.read')),
    decision('Access_Explain, direct grant', 'Access_Explain', ask('app.part0.read')),
    decision('Access_Explain, group above', 'Access_Explain', ask('app.part1.read')),
    decision('Access_Explain, on a resource', 'Access_Explain', (place, n) => ({
      ...ask('app.part2.read')(place, n),
      Resource: `document-${memberOf(place, n)}-1`,
    })),
    decision('Access_ListPermissions', 'Access_ListPermissions', (place, n) => ({
      Subject: memberId(place, n),
    })),
    decision('Access_ListSubjects, all members', 'Access_ListSubjects', () => ({
      Permission: 'app.part0.read',
      Page,
    })),
    decision('Access_ListSubjects, through groups', 'Access_ListSubjects', () => ({
      Permission: 'app.part2.read',
      Page,
    })),
  ];
}

/** The lists and figures of an operator of the platform. */
function platform({ stack, users, usual }: Installation): Comparison[] {
  const call = (name: string, body: object) => operation(name, body, stack.platformKey);
  const after = (key: string) => ({
    Page: { Limit: limit, Cursor: cursorAfter(stack, ['Users_List'], key) },
  });
  return (
    [
      ['Users_List', call('Users_List', { Page })],
      ['Users_List, the last page', call('Users_List', after(filledId('usr', users - limit)))],
      [
        'Users_List, last by address',
        call('Users_List', { Page, Sort: 'email', Descending: true }),
      ],
      ['Users_List, many by name', call('Users_List', { Page, Query: 'ada', Sort: 'name' })],
      ['Users_List, one by address', call('Users_List', { Page, Query: `p${users - 1}@` })],
      ['Users_List, none disabled', call('Users_List', { Page, Status: 'disabled' })],
      ['Tenants_List', call('Tenants_List', { Page })],
      [
        'Tenants_List, one by name',
        call('Tenants_List', { Page, Query: `Company ${usual.at(-1)?.number}` }),
      ],
      [
        'Tenants_List, one by slug',
        call('Tenants_List', { Page, Query: `company-${usual.at(-1)?.number}` }),
      ],
      ['Tenants_List, none', call('Tenants_List', { Page, Query: 'nothing' })],
      ['Tenants_List, in deletion', call('Tenants_List', { Page, Status: 'deleting' })],
      ['Tenants_GetTotals', call('Tenants_GetTotals', {})],
      ['Audit_List of the platform', call('Audit_List', { Page })],
      ['Queues_Status', call('Queues_Status', {})],
      ['Keys_Status', call('Keys_Status', {})],
    ] as const
  ).map(([what, shot]) => again(`operator: ${what}`, shot));
}

/** Changes, with the audit and all else that follows. Last, since they add rows. */
function changes(installation: Installation): Comparison[] {
  const { stack, largest, users } = installation;
  const stranger = ({ u }: Place, n: number) => {
    const others = users / perBlock - 1;
    const round = Math.floor(n / 10);
    return filledId(
      'usr',
      1 + ((u + perBlock * (1 + (round % others)) + Math.floor(round / others)) % users),
    );
  };
  let made = 0;
  const grant = ({ tenant, token }: Place, UserID: string) =>
    operation(
      'Grants_Add',
      { Grant: { Tenant: tenant, UserID, Role: 'role-1', Resource: `new-${made++}` } },
      token,
    );
  return [
    each(installation, 'Grants_Add', (place, i) => grant(place, memberId(place, i))),
    {
      what: 'largest tenant: Grants_Add',
      prepare: () =>
        Array.from({ length: shotsPerTurn }, () => grant(largest, filledId('usr', 20))),
    },
    each(installation, 'Groups_AddMember', (place, _, n) =>
      operation(
        'Groups_AddMember',
        { Tenant: place.tenant, Group: 'g0', UserID: nextMember(place, n) },
        place.token,
      ),
    ),
    each(installation, 'Roles_Save', ({ tenant, token }) =>
      operation(
        'Roles_Save',
        {
          Role: {
            Tenant: tenant,
            Slug: 'role-4',
            Name: `Role ${made++}`,
            Permissions: ['app.part4.read'],
          },
        },
        token,
      ),
    ),
    each(
      installation,
      'Users_Create',
      () =>
        operation(
          'Users_Create',
          { User: { Email: newAddress() }, Password: password },
          stack.platformKey,
        ),
      signInsPerTurn,
    ),
    each(installation, 'TenantMembers_Add', (place, _, n) =>
      operation(
        'TenantMembers_Add',
        { Tenant: place.tenant, UserID: stranger(place, n) },
        stack.platformKey,
      ),
    ),
  ];
}
