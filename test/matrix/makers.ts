import { randomBytes } from 'node:crypto';
import { createId } from '@bailiwick/shared/ids.ts';
import { createToken } from '@bailiwick/shared/tokens.ts';
import { bodyOf } from '../answers.ts';
import { createBot, createKey } from '../bots.ts';
import { newCode, newIdentity } from '../federation.ts';
import type { Stack } from '../harness.ts';
import { mailTo, newAddress, password, tokenIn } from '../people.ts';
import { newPerson, newSession } from './people.ts';
import type { Place } from './world.ts';

// Records of every kind, for a place that stands and to be thrown away. Each maker answers with the place in which
// its record is the one that requests are about.

type Maker = (
  stack: Stack,
  place: Place,
) => Promise<Partial<Omit<Place, 'ids'>> & { ids?: Record<string, string> }>;

export type Kind = keyof typeof makers;

const makers = {
  /** A person who is no member of anything. */
  person: async (stack) => {
    const { id, email } = await newPerson(stack, 'person', password);
    return { ids: { usr: id }, email };
  },

  user: async (stack, { home: Tenant }) => {
    const { id, email } = await newPerson(stack, 'user');
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: id }, stack.platformKey));
    return { ids: { usr: id }, email };
  },

  /** A pending membership of the person that the request is about. */
  offer: async (stack, { home: Tenant, keeper, ids }) => {
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: ids['usr'] }, keeper));
    return {};
  },

  /** Disables the member that the request is about. */
  disabling: async (stack, { home: Tenant, keeper, ids }) => {
    bodyOf(await stack.call('TenantMembers_Disable', { Tenant, UserID: ids['usr'] }, keeper));
    return {};
  },

  session: async (stack, { ids }) => ({
    ids: { ses: (await newSession(stack, ids['usr'] ?? '')).id },
  }),

  registration: async (stack) => {
    const email = newAddress('registered');
    bodyOf(await stack.call('Account_Register', { Email: email, Password: password }));
    return { email, invitation: tokenIn(await mailTo(stack, email)) };
  },

  reset: async (stack, { email }) => {
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: email }));
    return { invitation: tokenIn(await mailTo(stack, email)) };
  },

  identity: async (stack, { ids, tenant }) => ({
    ids: { sso: await newIdentity(stack, ids['usr'] ?? '', tenant) },
  }),

  code: async (stack, { ids, email }) => ({
    invitation: await newCode(stack, ids['usr'] ?? '', email),
  }),

  group: async (stack, { home: Tenant, keeper }) => {
    const path = `eng/${randomBytes(4).toString('hex')}`;
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: path } }, keeper));
    return { path };
  },

  membership: async (stack, { home: Tenant, keeper, path, ids }) => {
    bodyOf(
      await stack.call('Groups_AddMember', { Tenant, Group: path, UserID: ids['usr'] }, keeper),
    );
    return {};
  },

  // With a permission that everybody who may confer anything in this matrix holds.
  role: async (stack, { home: Tenant, keeper }) => {
    const role = `matrix-${randomBytes(4).toString('hex')}`;
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant, Slug: role, Permissions: ['iam.groups.read'] } },
        keeper,
      ),
    );
    return { role };
  },

  grant: (stack, place) => grantTo(stack, place, 'Grants_Add', { UserID: place.ids['usr'] }),
  // There are no groups on the platform, so nothing is granted to one there.
  groupGrant: async (stack, place) =>
    place.name === 'absent' ? {} : grantTo(stack, place, 'GroupGrants_Add', { Group: place.path }),
  botGrant: (stack, place) => grantTo(stack, place, 'BotGrants_Add', { Bot: place.ids['bot'] }),

  bot: async (stack, { home, keeper }) => ({
    ids: { bot: (await createBot(stack, home, keeper)).ID },
  }),
  key: async (stack, { home: Tenant, keeper, ids }) => ({
    ids: { bky: (await createKey(stack, { Tenant, ID: ids['bot'] ?? '' }, keeper)).Key.ID },
  }),

  webhook: async (stack, { home: Tenant, keeper }) => {
    const Endpoint = {
      Tenant,
      Name: 'made',
      URL: `${stack.inboxUrl}/hooks/matrix`,
      EventTypes: [noEvent],
    };
    return {
      ids: {
        whk: idIn(
          await stack.call('Webhooks_CreateEndpoint', { Endpoint }, keeper),
          'Endpoint',
          'whk',
        ),
      },
    };
  },
  chat: async (stack, { home: Tenant, keeper }) => {
    const request = {
      Endpoint: { Tenant, Name: 'made', EventTypes: [noEvent] },
      URL: `${stack.inboxUrl}/hooks/matrix-chat`,
    };
    return {
      ids: {
        slk: idIn(await stack.call('Chat_CreateEndpoint', request, keeper), 'Endpoint', 'slk'),
      },
    };
  },
  domain: async (stack, { home: Tenant, keeper }) => {
    const Name = `${randomBytes(4).toString('hex')}.example.com`;
    return {
      ids: {
        dom: idIn(await stack.call('Domain_Create', { Tenant, Name }, keeper), 'Domain', 'dom'),
      },
    };
  },

  provider: async (stack, { home: Tenant, keeper }) => {
    const Provider = {
      Tenant,
      Kind: 'oidc',
      Name: 'made',
      Issuer: `${stack.inboxUrl}/hooks/matrix-op`,
      ClientID: 'matrix',
      TokenAuthMethod: 'none',
    };
    return {
      ids: {
        sso: idIn(await stack.call('Sso_SaveProvider', { Provider }, keeper), 'Provider', 'sso'),
      },
    };
  },

  invitation: async (stack, { home: Tenant, keeper, invitee }) => {
    const answer = await stack.call('TenantInvitations_Create', { Tenant, Email: invitee }, keeper);
    return {
      invitation:
        answer.body.Code === 'unimplemented'
          ? createToken('invitation')
          : String(bodyOf(answer)['Token']),
    };
  },
} satisfies Record<string, Maker>;

/** What happens to nobody here, so that nothing is delivered while the store is compared. */
export const noEvent = 'sso.requirement_restored';

/** Makes records one after the other: later ones hang on earlier ones. */
export async function makeAll(stack: Stack, place: Place, kinds: readonly Kind[]): Promise<Place> {
  let made = place;
  for (const kind of kinds) {
    const { ids, ...rest } = await (makers as Record<Kind, Maker>)[kind](stack, made);
    made = { ...made, ...rest, ids: { ...made.ids, ...ids } };
  }
  return made;
}

async function grantTo(
  stack: Stack,
  { name, home, keeper, role }: Place,
  operation: string,
  subject: object,
): Promise<object> {
  const grant =
    name === 'absent' ? { Platform: true, Role: 'platform-support' } : { Tenant: home, Role: role };
  bodyOf(
    await stack.call(
      operation,
      { Grant: { ...grant, ...subject } },
      name === 'absent' ? stack.platformKey : keeper,
    ),
  );
  return {};
}

/** The record's identifier; one of no record where the operation is not there yet. */
function idIn(
  answer: Awaited<ReturnType<Stack['call']>>,
  key: string,
  prefix: 'whk' | 'slk' | 'dom' | 'sso',
): string {
  if (answer.body.Code === 'unimplemented') return createId(prefix);
  return (bodyOf(answer)[key] as { ID: string }).ID;
}
