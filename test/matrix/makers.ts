import { randomBytes, X509Certificate } from 'node:crypto';
import { createId, createToken } from '@bailiwick/contract';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { bodyOf, recordIn } from '../support/answers.ts';
import { createBot, createKey } from '../support/bots.ts';
import { newCode, newIdentity } from '../support/federation.ts';
import type { Stack } from '../support/harness.ts';
import { newPasskey } from '../support/passkeys.ts';
import { mailTo, newAddress, password, tokenIn } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { newPerson, newPortal, newSession } from './people.ts';
import type { Place } from './place.ts';

// Creates records of every kind, for a lasting place or for one call. Each maker returns the place
// whose record the requests are about.

type Maker = (
  stack: Stack,
  place: Place,
) => Promise<Partial<Omit<Place, 'ids'>> & { ids?: Record<string, string> }>;

export type Kind = keyof typeof makers;

const makers = {
  /** A user without any membership. */
  person: async (stack) => {
    const { id, email } = await newPerson(stack, 'person', password);
    return { ids: { usr: id }, email };
  },

  user: async (stack, { home: Tenant }) => {
    const { id, email } = await newPerson(stack, 'user');
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: id }, stack.platformKey));
    return { ids: { usr: id }, email };
  },

  /** A pending membership of the user that the request is about. */
  offer: async (stack, { home: Tenant, ownerToken, ids }) => {
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: ids['usr'] }, ownerToken));
    return {};
  },

  /** Disables the member that the request is about. */
  disabling: async (stack, { home: Tenant, ownerToken, ids }) => {
    bodyOf(await stack.call('TenantMembers_Disable', { Tenant, UserID: ids['usr'] }, ownerToken));
    return {};
  },

  /** The receipt of a lock of another member. */
  lock: async (stack, { home: Tenant }) => {
    const { id: UserID } = await newPerson(stack, 'locked');
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID }, stack.platformKey));
    const answer = await stack.call('Users_Lock', { UserID }, stack.platformKey);
    return { ids: { lck: (recordIn(answer, 'Receipt') as { ID: string }).ID } };
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

  passkey: async (stack, { ids }) => ({
    ids: { psk: await newPasskey(stack, ids['usr'] ?? '') },
  }),

  identity: async (stack, { ids, tenant }) => ({
    ids: { sso: await newIdentity(stack, ids['usr'] ?? '', tenant) },
  }),

  code: async (stack, { ids, email }) => ({
    invitation: await newCode(stack, ids['usr'] ?? '', email),
  }),

  group: async (stack, { home: Tenant, ownerToken }) => {
    const path = `eng/${randomBytes(4).toString('hex')}`;
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: path } }, ownerToken));
    return { path };
  },

  membership: async (stack, { home: Tenant, ownerToken, path, ids }) => {
    bodyOf(
      await stack.call('Groups_AddMember', { Tenant, Group: path, UserID: ids['usr'] }, ownerToken),
    );
    return {};
  },

  // The role has a permission that every principal holds that may grant in this matrix.
  role: async (stack, { home: Tenant, ownerToken }) => {
    const role = `matrix-${randomBytes(4).toString('hex')}`;
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant, Slug: role, Permissions: ['iam.groups.read'] } },
        ownerToken,
      ),
    );
    return { role };
  },

  grant: (stack, place) => grantTo(stack, place, 'Grants_Add', { UserID: place.ids['usr'] }),
  // The platform has no groups, so no group has a grant there.
  groupGrant: async (stack, place) =>
    place.name === 'absent' ? {} : grantTo(stack, place, 'GroupGrants_Add', { Group: place.path }),
  botGrant: (stack, place) => grantTo(stack, place, 'BotGrants_Add', { Bot: place.ids['bot'] }),

  bot: async (stack, { home, ownerToken }) => ({
    ids: { bot: (await createBot(stack, home, ownerToken)).ID },
  }),
  key: async (stack, { home: Tenant, ownerToken, ids }) => ({
    ids: { bky: (await createKey(stack, { Tenant, ID: ids['bot'] ?? '' }, ownerToken)).Key.ID },
  }),

  trust: async (stack, { home: Tenant, ownerToken, ids }) => {
    const Trust = {
      Tenant,
      Bot: ids['bot'],
      Issuer: 'https://token.example.com',
      Audience: 'matrix',
      Subject: 'job',
    };
    const answer = await stack.call('BotTrusts_Save', { Trust }, ownerToken);
    return { ids: { btr: idIn(answer, 'Trust', 'btr') } };
  },

  portal: async (stack, { home: Tenant, ownerToken, ids }) => {
    const { id } = await newPortal(stack, { Tenant, Endpoint: ids['whk'] ?? '' }, ownerToken);
    return { ids: { wpt: id } };
  },

  webhook: async (stack, { home: Tenant, ownerToken }) => {
    const Endpoint = {
      Tenant,
      Name: 'made',
      URL: `${stack.inboxUrl}/hooks/matrix`,
      EventTypes: [noEvent],
    };
    return {
      ids: {
        whk: idIn(
          await stack.call('Webhooks_CreateEndpoint', { Endpoint }, ownerToken),
          'Endpoint',
          'whk',
        ),
      },
    };
  },
  chat: async (stack, { home: Tenant, ownerToken }) => {
    const request = {
      Endpoint: { Tenant, Name: 'made', EventTypes: [noEvent] },
      URL: `${stack.inboxUrl}/hooks/matrix-chat`,
    };
    return {
      ids: {
        slk: idIn(await stack.call('Chat_CreateEndpoint', request, ownerToken), 'Endpoint', 'slk'),
      },
    };
  },
  domain: async (stack, { home: Tenant, ownerToken }) => {
    const Name = `${randomBytes(4).toString('hex')}.example.com`;
    return {
      ids: {
        dom: idIn(await stack.call('Domain_Create', { Tenant, Name }, ownerToken), 'Domain', 'dom'),
      },
    };
  },

  // Without a tenant it is the platform's.
  provider: async (stack, { name, home, ownerToken }) => {
    const Provider = {
      Tenant: name === 'absent' ? '' : home,
      Kind: 'oidc',
      Name: 'made',
      Issuer: `${stack.inboxUrl}/hooks/matrix-op`,
      ClientID: 'matrix',
      TokenAuthMethod: 'none',
    };
    const token = name === 'absent' ? stack.platformKey : ownerToken;
    const saved = await stack.call('Sso_SaveProvider', { Provider }, token);
    const { UpdatedAt } = recordIn(saved, 'Provider') as { UpdatedAt: string };
    return { ids: { sso: idIn(saved, 'Provider', 'sso') }, providerUpdatedAt: UpdatedAt };
  },

  /** A SAML provider with a pending certificate, whose fingerprint is in `invitation`. */
  pendingCertificate: async (stack, { home: Tenant, ownerToken }) => {
    const [own, next] = await Promise.all(['own', 'next'].map(createSpCertificate));
    const Provider = {
      Tenant,
      Kind: 'saml',
      Name: 'made',
      IdpEntityID: 'https://matrix.example.com',
      IdpSsoURL: 'https://matrix.example.com/sso',
      IdpCertificates: [own?.certificate],
      Jit: false,
    };
    const saved = await stack.call('Sso_SaveProvider', { Provider }, ownerToken);
    const { ID, UpdatedAt } = recordIn(saved, 'Provider') as { ID: string; UpdatedAt: string };
    const pending = { certificate: next?.certificate.trim(), foundAt: UpdatedAt, countsAt: null };
    const write =
      "update sso.provider set metadata_url = 'https://matrix.example.com', pending_certificates = $2 where id = $1";
    await rowsOf(stack, write, [ID, JSON.stringify([pending])]);
    const { fingerprint256: invitation } = new X509Certificate(next?.certificate ?? '');
    return { ids: { sso: ID }, providerUpdatedAt: UpdatedAt, invitation };
  },

  // Without a tenant it is the platform's.
  app: async (stack, { name, home, ownerToken }) => {
    const App = {
      Tenant: name === 'absent' ? '' : home,
      Kind: 'web',
      Name: 'made',
      RedirectURIs: ['https://app.example.com/callback'],
    };
    const token = name === 'absent' ? stack.platformKey : ownerToken;
    return { ids: { app: idIn(await stack.call('Apps_Save', { App }, token), 'App', 'app') } };
  },

  invitation: async (stack, { home: Tenant, ownerToken, invitee }) => {
    const answer = await stack.call(
      'TenantInvitations_Create',
      { Tenant, Email: invitee },
      ownerToken,
    );
    return {
      invitation:
        answer.body.Code === 'unimplemented'
          ? createToken('invitation')
          : String(bodyOf(answer)['Token']),
    };
  },
} satisfies Record<string, Maker>;

/**
 * An event type that never occurs here, so that no delivery changes the store while it is compared.
 */
export const noEvent = 'sso.requirement_restored';

/** Creates records one after the other: later records refer to earlier ones. */
export async function makeAll(stack: Stack, place: Place, kinds: readonly Kind[]): Promise<Place> {
  let context = place;
  for (const kind of kinds) {
    const { ids, ...rest } = await (makers as Record<Kind, Maker>)[kind](stack, context);
    context = { ...context, ...rest, ids: { ...context.ids, ...ids } };
  }
  return context;
}

async function grantTo(
  stack: Stack,
  { name, home, ownerToken, role }: Place,
  operation: string,
  subject: object,
): Promise<object> {
  const grant =
    name === 'absent' ? { Platform: true, Role: 'platform-support' } : { Tenant: home, Role: role };
  bodyOf(
    await stack.call(
      operation,
      { Grant: { ...grant, ...subject } },
      name === 'absent' ? stack.platformKey : ownerToken,
    ),
  );
  return {};
}

/** The record's ID; a random one where the operation is not implemented yet. */
function idIn(
  answer: Awaited<ReturnType<Stack['call']>>,
  key: string,
  prefix: 'whk' | 'slk' | 'dom' | 'sso' | 'app' | 'btr',
): string {
  if (answer.body.Code === 'unimplemented') return createId(prefix);
  return (bodyOf(answer)[key] as { ID: string }).ID;
}
