import { createId, createToken } from '@bailiwick/contract';
import { forgetRights } from '@bailiwick/deploy/admin.ts';
import { bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { newAddress } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { makeAll } from './makers.ts';
import { newPerson, newSession, newTenant, type Person } from './people.ts';
import type { Place, PlaceName, Principal } from './place.ts';
import { makeBots, makePortal, newLimited } from './principals.ts';
import * as roles from './roles.ts';

// The callers, and the records that they call about.

export type World = {
  stack: Stack;
  principals: readonly Principal[];
  places: Record<PlaceName, Place>;
};

export async function makeWorld(stack: Stack): Promise<World> {
  const [owner, stranger, guest] = [
    await newPerson(stack, 'owner'),
    await newPerson(stack, 'stranger'),
    await newPerson(stack, 'guest'),
  ];
  const places = await makePlaces(stack, { owner, stranger, guest });
  const principals = await makePrincipals(stack, { owner, stranger, guest }, places);
  await rowsOf(stack, `update access.tenant set status = 'suspended' where id = $1`, [
    places.suspended.tenant,
  ]);
  await forgetRights({ DATABASE_URL: stack.databaseUrl });
  return { stack, places, principals };
}

type Leads = Record<'owner' | 'stranger' | 'guest', Person>;

async function makePlaces(
  stack: Stack,
  { owner, stranger, guest }: Leads,
): Promise<World['places']> {
  const own = await makePlace(stack, 'own', owner, guest.email);
  const foreign = await makePlace(stack, 'foreign', stranger, guest.email);
  const suspended = await newTenant(stack, owner.id);
  const elsewhere = (name: PlaceName, tenant: string): Place => ({
    ...own,
    name,
    tenant,
    ids: { ...own.ids, tnt: tenant },
  });
  const unknown = {
    ids: { ...own.ids, tnt: createId('tnt'), usr: createId('usr') },
    email: newAddress('unknown'),
  };
  return {
    own,
    foreign,
    missing: { ...elsewhere('missing', unknown.ids.tnt), ...unknown },
    suspended: elsewhere('suspended', suspended),
    malformed: elsewhere('malformed', 'tnt_0'),
    absent: await makeAll(stack, { ...elsewhere('absent', ''), role: 'platform-support' }, [
      'provider',
      'app',
    ]),
  };
}

/** Creates a tenant with a record of every kind. */
async function makePlace(
  stack: Stack,
  name: 'own' | 'foreign',
  owner: Person,
  invitee: string,
): Promise<Place> {
  const tenant = await newTenant(stack, owner.id);
  const prefixes = 'dom sso app slk ses whk wpt bot bky btr usr fac psk evt tsk lck'.split(' ');
  const unmade = Object.fromEntries(prefixes.map((prefix) => [prefix, createId(prefix as 'dom')]));
  const empty: Place = {
    name,
    tenant,
    home: tenant,
    ownerToken: owner.token,
    ids: { ...unmade, tnt: tenant },
    email: '',
    invitee,
    invitation: createToken('invitation'),
    providerUpdatedAt: new Date(0).toISOString(),
    path: '',
    role: '',
  };
  return makeAll(stack, empty, [
    'user',
    'group',
    'membership',
    'role',
    'grant',
    'groupGrant',
    'bot',
    'key',
    'trust',
    'botGrant',
    'webhook',
    'portal',
    'chat',
    'domain',
    'provider',
    'app',
    'invitation',
    'lock',
  ]);
}

async function makePrincipals(
  stack: Stack,
  { owner, stranger, guest }: Leads,
  { own, suspended }: World['places'],
): Promise<Principal[]> {
  const support = await newPerson(stack, 'support');
  bodyOf(
    await stack.call(
      'Grants_Add',
      { Grant: { Platform: true, UserID: support.id, Role: 'platform-support' } },
      stack.platformKey,
    ),
  );
  const { token: ended } = await newSession(stack, owner.id, -1);
  const everywhere = (holds: roles.Holds) => ({
    inTenant: { own: holds, foreign: holds },
    onPlatform: holds,
  });
  const person = (
    name: string,
    { id, email, token }: Person,
    inTenant: Principal['inTenant'] = {},
    home?: 'own' | 'foreign',
  ): Principal => ({
    name,
    kind: 'user',
    token,
    id,
    email,
    inTenant,
    onPlatform: roles.nothing,
    ...(home && { home }),
  });
  const anonymous = (name: string, token?: string): Principal => ({
    name,
    kind: 'anonymous',
    token,
    id: '',
    email: '',
    inTenant: {},
    onPlatform: roles.nothing,
  });
  const installed = (kind: 'platform' | 'worker', token: string) => ({
    name: kind,
    kind,
    token,
    id: kind,
    email: '',
  });
  return [
    anonymous('anonymous'),
    anonymous('junk', createToken('session')),
    anonymous('an ended session', ended),
    person('owner', owner, { own: roles.owner }, 'own'),
    person('admin', await newMember(stack, own, 'admin'), { own: roles.admin }, 'own'),
    person('auditor', await newMember(stack, own, 'auditor'), { own: roles.auditor }, 'own'),
    person('member', await theMember(stack, own), { own: roles.member }, 'own'),
    person('stranger', stranger, { foreign: roles.owner }, 'foreign'),
    person('guest', guest),
    {
      ...person(
        'a pending member',
        await newExcludedMember(stack, [own.tenant], owner.token, 'pending'),
      ),
      pendingIn: 'own',
    },
    person(
      'a disabled member',
      await newExcludedMember(stack, [own.tenant, suspended.tenant], owner.token, 'disabled'),
    ),
    { ...person('support', support), ...everywhere(roles.platformSupport) },
    {
      ...person('a limited session', await newLimited(stack, own), { own: roles.member }, 'own'),
      limited: true,
    },
    ...(await makeBots(stack, own)),
    await makePortal(stack, own),
    { ...installed('platform', stack.platformKey), ...everywhere(roles.platformOwner) },
    { ...installed('worker', stack.workerToken), inTenant: {}, onPlatform: roles.worker },
  ];
}

/** The member that the requests are about. */
async function theMember(stack: Stack, { ids, email }: Place): Promise<Person> {
  const id = ids['usr'] ?? '';
  return { id, email, token: (await newSession(stack, id)).token };
}

async function newMember(
  stack: Stack,
  { tenant: Tenant, ownerToken }: Place,
  role: string,
): Promise<Person> {
  const person = await newPerson(stack, role);
  bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: person.id }, stack.platformKey));
  bodyOf(
    await stack.call(
      'Grants_Add',
      { Grant: { Tenant, UserID: person.id, Role: role } },
      ownerToken,
    ),
  );
  return person;
}

/** A listed member without rights: pending or disabled. */
async function newExcludedMember(
  stack: Stack,
  tenants: readonly string[],
  ownerToken: string,
  status: 'pending' | 'disabled',
): Promise<Person> {
  const person = await newPerson(stack, status);
  for (const Tenant of tenants) {
    const member = { Tenant, UserID: person.id };
    bodyOf(
      await stack.call(
        'TenantMembers_Add',
        member,
        status === 'pending' ? ownerToken : stack.platformKey,
      ),
    );
    if (status === 'disabled')
      bodyOf(await stack.call('TenantMembers_Disable', member, ownerToken));
  }
  return person;
}
