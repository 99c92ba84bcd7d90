import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createId } from '@bailiwick/contract';
import { bodyOf, readList } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { createHome, type Home, loginUrl, ownDomain, type ProviderRecord } from './home.ts';
import type { Providers } from './stage.ts';

// A domain moves from one tenant to another. The new tenant's provider then asserts addresses that
// belong to users of the first tenant.

type Link = { Provider: string; Tenant: string; Limited: boolean };
type Introspection = { Active: boolean; Tenant: string; UserID: string };

export type MovedDomain = ReturnType<typeof createMovedDomain>;

/** The calls of a suite about moved domains. `providers` is called after the suite has started them. */
export function createMovedDomain(providers: () => Providers) {
  const stack = (): Stack => providers().stack;
  const call = (operation: string, request: object, token?: string) =>
    stack().call(operation, request, token);
  const identitiesOf = async (userId: string) =>
    (await readList<Link>(stack(), 'Users_ListIdentities', { UserID: userId }, stack().platformKey))
      .items;
  const introspect = async (Token: string, Tenant = '') =>
    bodyOf(
      await call('Tokens_Introspect', { Token, Tenant }, stack().platformKey),
    ) as unknown as Introspection;
  const confirm = (token: string, UserID: string, Provider: string, rest: object = {}) =>
    call('Users_ConfirmIdentity', { UserID, Provider, ...rest }, token);
  const newDomain = () => `d${randomBytes(6).toString('hex')}.example.com`;

  /** Creates the tenant that has the domain first. Its owner is also a platform owner. */
  async function createVictim(domain: string): Promise<Home> {
    const owner = await signUp(stack(), `ada@${domain}`);
    const tenant = await tenantFor(stack(), owner.id);
    await ownDomain(stack(), { tenant, owner }, { Name: domain });
    await rowsOf(
      stack(),
      `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at) values ('', $1, 'user', $2, 'platform-owner', '', '', now())`,
      [createId('grt'), owner.id],
    );
    return { tenant, domain, owner };
  }

  async function releaseDomains({ tenant: Tenant, owner }: Home): Promise<void> {
    for (const { ID } of (
      await readList<{ ID: string }>(stack(), 'Domain_List', { Tenant }, owner.token)
    ).items)
      bodyOf(await call('Domain_Delete', { Tenant, ID }, owner.token));
  }

  /** Creates the tenant that has the domain next, with a provider. */
  async function claimDomain(domain: string): Promise<{ home: Home; provider: ProviderRecord }> {
    const home = await createHome(stack());
    await ownDomain(stack(), home, { Name: domain });
    return { home, provider: await providers().provide(home, 'oidc') };
  }

  async function enter(provider: ProviderRecord, subject: string, email: string): Promise<string> {
    providers().setIdentity({ subject, email });
    return (await providers().go(loginUrl(stack(), provider))).token ?? assert.fail('no session');
  }

  /** Creates a victim, and a session on its account that the next tenant's provider has opened. */
  async function createHandOver() {
    const victim = await createVictim(newDomain());
    await releaseDomains(victim);
    const { home, provider } = await claimDomain(victim.domain);
    const token = await enter(provider, 'mallory', victim.owner.email);
    return { victim, home, provider, token };
  }

  return {
    stack,
    call,
    identitiesOf,
    introspect,
    confirm,
    newDomain,
    createVictim,
    releaseDomains,
    claimDomain,
    enter,
    createHandOver,
  };
}
