import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { bodyOf, recordIn } from '../support/answers.ts';
import { createBot, createKey } from '../support/bots.ts';
import type { Stack } from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { type Home, loginUrl, oidcOf, ownDomain, type ProviderRecord } from './home.ts';
import { clientSecret, type Providers } from './stage.ts';

// A tenant whose administrators, who are no owners, change its provider.

export type Holder = { id: string; email: string; token: string };
export type Provider = ProviderRecord & {
  Name: string;
  Unconfirmed: boolean;
  SavedBy: string;
  ConfirmedBy: string;
  AttributeMap: Record<string, string>;
  UpdatedAt: string;
};

export function createUnconfirmed(providers: () => Providers) {
  const stack = (): Stack => providers().stack;
  const call = (operation: string, request: object, token?: string) =>
    stack().call(operation, request, token);

  /** A tenant with a domain that has its owner's address. */
  async function newHome(): Promise<Home> {
    const domain = `d${randomBytes(6).toString('hex')}.example.com`;
    const owner = await signUp(stack(), `owner@${domain}`);
    const tenant = await tenantFor(stack(), owner.id);
    await ownDomain(stack(), { tenant, owner }, { Name: domain });
    return { tenant, domain, owner };
  }

  /** A member with a role, or a role of these permissions. */
  async function newMember(
    { tenant: Tenant, domain, owner }: Home,
    role: string | readonly string[],
    grant: object = {},
  ): Promise<Holder> {
    const name = `m${randomBytes(4).toString('hex')}`;
    const member = await signUp(stack(), `${name}@${domain}`);
    bodyOf(await call('TenantMembers_Add', { Tenant, UserID: member.id }, stack().platformKey));
    const Role = typeof role === 'string' ? role : name;
    if (typeof role !== 'string')
      bodyOf(
        await call('Roles_Save', { Role: { Tenant, Slug: Role, Permissions: role } }, owner.token),
      );
    bodyOf(
      await call(
        'Grants_Add',
        { Grant: { Tenant, UserID: member.id, Role, ...grant } },
        owner.token,
      ),
    );
    return member;
  }

  /** The secret of a bot with a role. */
  async function newBot({ tenant, owner }: Home, Role: string, key: object = {}): Promise<string> {
    const bot = await createBot(stack(), tenant, owner.token);
    const Grant = { Tenant: tenant, Bot: bot.ID, Role };
    bodyOf(await call('BotGrants_Add', { Grant }, owner.token));
    return (await createKey(stack(), bot, owner.token, key)).Secret;
  }

  const save = (Tenant: string, fields: object, token: string, rest: object = {}) =>
    call(
      'Sso_SaveProvider',
      { Provider: { Tenant, Name: 'Acme staff', ...fields }, ...rest },
      token,
    );

  /** Points a tenant's provider at the test's identity provider, which asserts what a test says. */
  async function connect(
    { tenant }: Pick<Home, 'tenant'>,
    token: string,
    fields: { ClientID?: string } = {},
  ): Promise<Provider> {
    const { op } = providers();
    const saved = recordIn(
      await save(tenant, { ...oidcOf(op.issuer), ...fields }, token, { Secret: clientSecret }),
      'Provider',
    ) as Provider;
    op.setClient({
      id: fields.ClientID ?? 'bailiwick',
      redirectUris: [saved.RedirectURI],
      secret: clientSecret,
    });
    return saved;
  }

  const read = async ({ Tenant, ID }: ProviderRecord): Promise<Provider> =>
    recordIn(
      await call('Sso_GetProvider', { Tenant, ID }, stack().platformKey),
      'Provider',
    ) as Provider;

  async function enter(provider: ProviderRecord, subject: string, email: string): Promise<string> {
    providers().setIdentity({ subject, email });
    const { token, page } = await providers().go(loginUrl(stack(), provider));
    return token ?? assert.fail(`no session: ${page.text}`);
  }

  /** Confirms the provider as it is stored now, or the version of `rest`. */
  async function confirm(provider: ProviderRecord, token: string, rest?: object) {
    const { Tenant, ID } = provider;
    const version = rest ?? { IfUpdatedAt: (await read(provider)).UpdatedAt };
    return call('Sso_ConfirmProvider', { Tenant, ID, ...version }, token);
  }

  async function holds(Tenant: string, Permission: string, token: string): Promise<boolean> {
    const answer = await call('Access_Check', { Tenant, Permission }, token);
    return bodyOf(answer)['Allowed'] === true;
  }

  const isActive = async (Token: string, Tenant: string): Promise<boolean> =>
    bodyOf(await call('Tokens_Introspect', { Token, Tenant }, stack().platformKey))['Active'] ===
    true;

  return {
    stack,
    call,
    newHome,
    newMember,
    newBot,
    save,
    connect,
    read,
    enter,
    confirm,
    holds,
    isActive,
  };
}
