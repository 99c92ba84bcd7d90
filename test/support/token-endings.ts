import { bodyOf } from './answers.ts';
import { countTrue } from './bursts.ts';
import type { Answer } from './harness.ts';
import { newAddress, password } from './people.ts';

/** Calls an operation, as the platform unless a token is given. */
export type Call = (operation: string, body: object, token?: string) => Promise<Answer>;

/** An active token in a tenant, and the change that makes it inactive. */
export type TokenEnding = { token: string; tenant: string; end: () => Promise<Answer> };

type Member = { tenant: string; userId: string; email: string; token: string };

export const idIn = (answer: Answer, record: string) =>
  (bodyOf(answer)[record] as { ID: string }).ID;

const login = async (call: Call, email: string): Promise<string> =>
  String(bodyOf(await call('Account_Login', { Email: email, Password: password }))['Token']);

/** A new user who owns a new tenant. */
export async function newMember(call: Call): Promise<Member> {
  const email = newAddress();
  const User = { Email: email };
  const userId = idIn(await call('Users_Create', { User, Password: password }), 'User');
  const owned = { Tenant: { Name: 'Acme' }, OwnerID: userId };
  const tenant = idIn(await call('Tenants_Create', owned), 'Tenant');
  return { tenant, userId, email, token: await login(call, email) };
}

type BotWithKey = { tenant: string; bot: string; key: string; token: string };

async function newKey(call: Call): Promise<BotWithKey> {
  const { tenant } = await newMember(call);
  const bot = idIn(await call('Bots_Save', { Bot: { Tenant: tenant, Name: 'deployer' } }), 'Bot');
  const response = await call('BotKeys_Create', { Tenant: tenant, Bot: bot, Name: 'ci' });
  return { tenant, bot, key: idIn(response, 'Key'), token: String(bodyOf(response)['Secret']) };
}

const ofSession =
  (end: (call: Call, member: Member) => Promise<Answer>) =>
  async (call: Call): Promise<TokenEnding> => {
    const member = await newMember(call);
    return { ...member, end: () => end(call, member) };
  };

const ofKey =
  (end: (call: Call, keyed: BotWithKey) => Promise<Answer>) =>
  async (call: Call): Promise<TokenEnding> => {
    const keyed = await newKey(call);
    return { ...keyed, end: () => end(call, keyed) };
  };

/** The changes that make a token inactive, in its tenant at least. */
export const tokenEndings: Record<string, (call: Call) => Promise<TokenEnding>> = {
  Account_Logout: ofSession((call, { token }) => call('Account_Logout', {}, token)),
  Sessions_RevokeAll: ofSession((call, { token }) => call('Sessions_RevokeAll', {}, token)),
  Account_ChangePassword: ofSession(async (call, { email }) =>
    call(
      'Account_ChangePassword',
      { Current: password, Password: 'an entirely new one' },
      await login(call, email),
    ),
  ),
  Users_Disable: ofSession((call, { userId }) => call('Users_Disable', { UserID: userId })),
  Users_Delete: ofSession(async (call, { tenant, userId }) => {
    // The only owner of a tenant cannot be deleted.
    const other = await newMember(call);
    const Grant = { Tenant: tenant, UserID: other.userId, Role: 'owner' };
    bodyOf(await call('TenantMembers_Add', { Tenant: tenant, UserID: other.userId }));
    bodyOf(await call('Grants_Add', { Grant }));
    return call('Users_Delete', { UserID: userId });
  }),
  'Tenants_Update with RequireSso': ofSession((call, { tenant }) =>
    call('Tenants_Update', { Tenant: { ID: tenant, Settings: { RequireSso: true } } }),
  ),
  'Tenants_Update with RequireFactor': ofSession((call, { tenant }) =>
    call('Tenants_Update', { Tenant: { ID: tenant, Settings: { RequireFactor: 'any' } } }),
  ),
  Tenants_Suspend: ofSession((call, { tenant }) => call('Tenants_Suspend', { Tenant: tenant })),
  Tenants_Delete: ofSession((call, { tenant }) => call('Tenants_Delete', { Tenant: tenant })),
  'Tenants_Suspend, for a bot key': ofKey((call, { tenant }) =>
    call('Tenants_Suspend', { Tenant: tenant }),
  ),
  BotKeys_SetExpiration: ofKey((call, { tenant, key }) => {
    const ExpiresAt = new Date(Date.now() - 1000).toISOString();
    return call('BotKeys_SetExpiration', { Tenant: tenant, ID: key, ExpiresAt });
  }),
  Bots_Delete: ofKey((call, { tenant, bot }) => call('Bots_Delete', { Tenant: tenant, ID: bot })),
};

/** Membership changes, by a tenant's owner: they can be undone. */
export async function newMembership(call: Call) {
  const [{ tenant }, { userId, token }] = await Promise.all([newMember(call), newMember(call)]);
  const membership = { Tenant: tenant, UserID: userId };
  bodyOf(await call('TenantMembers_Add', membership));
  return { tenant, token, membership };
}

/** Counts the introspections that find a token active, as `countTrue` does. */
export const countActive = (
  introspect: (index: number) => Promise<Answer>,
  end: () => Promise<Answer>,
  atOnce?: number,
): Promise<{ before: number; after: number }> =>
  countTrue(async (index) => bodyOf(await introspect(index))['Active'] === true, end, atOnce);
