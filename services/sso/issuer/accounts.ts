import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { appOf } from './clients.ts';
import { tenantOf } from './grants.ts';
import { requireAccess } from './lack.ts';
import { claimsOf, type People } from './people.ts';
import type { Tenants } from './tenants.ts';
import { currentVisit, type Person, type Place } from './visit.ts';

/** The origin that a code or token names. */
type Source = { sessionUid?: string; grantId?: string; scopes?: Set<string> };

/** The person behind a request or a token, as oidc-provider asks for them each time. */
export function createAccounts(
  people: People,
  tenants: Tenants,
): Pick<Configuration, 'findAccount' | 'extraTokenClaims'> {
  async function accountOf(person: Person, place?: Place) {
    const user = await people.userOf(person);
    if (user?.status !== 'active') return undefined;
    return {
      accountId: person.id,
      claims: async () => ({
        sub: person.id,
        ...claimsOf(user, person),
        ...(place && (await tenants.claimsIn(person, place))),
      }),
    };
  }

  /** The person whose session the browser has. */
  async function ofBrowser(sub: string, tenant: string) {
    const { person } = currentVisit();
    if (person?.id !== sub) return undefined;
    await requireAccess(people, person, tenant);
    return accountOf(person);
  }

  /** The token names the session that it came from: once that has ended, so has the token. */
  async function ofSource({ oidc }: KoaContextWithOIDC, sub: string, source: Source) {
    const { sessionUid = '', grantId = '', scopes = new Set() } = source;
    // Only a refresh keeps a session open, as offline_access allows. An application that asks about
    // the person does not show that the person is there.
    const isUse = oidc.entities.RefreshToken !== undefined && oidc.route === 'token';
    const person = await people.ofSession(sessionUid, isUse);
    if (person?.id !== sub || !oidc.client) return undefined;
    const grant = await oidc.provider.Grant.find(grantId, { ignoreExpiration: true });
    const inTenant = tenantOf(grant);
    for (const tenant of new Set([appOf(oidc.client).tenant, inTenant]))
      if ((await people.refusal(person, tenant)) !== undefined) return undefined;
    const places = inTenant === '' ? [] : await tenants.ofPerson(person);
    const tenant = places.find(({ id }) => id === inTenant);
    currentVisit().account = { person, tenant, scopes };
    return accountOf(person, tenant);
  }

  return {
    findAccount: (ctx, sub, source) => {
      const { client } = ctx.oidc;
      if (!client) return undefined;
      return source ? ofSource(ctx, sub, source as Source) : ofBrowser(sub, appOf(client).tenant);
    },

    /** The claims that a service reads in a token for it. Other tokens mean nothing to a service. */
    async extraTokenClaims({ oidc }, token) {
      const { account, bot } = currentVisit();
      if (bot)
        return { ...(bot.tenant !== '' && { tenant: bot.tenant }), credential: bot.credentialId };
      if (token.kind === 'ClientCredentials' && oidc.client) {
        const { tenant } = appOf(oidc.client);
        return { ...(tenant !== '' && { tenant }), permissions: [...token.scopes] };
      }
      if (!account || !('sid' in token) || !token.resourceServer) return undefined;
      const { person, tenant, scopes } = account;
      if (!tenant) return { sid: token.sid };
      const claims = await tenants.claimsIn(person, tenant, [...token.scopes]);
      const { groups: _groups, groups_omitted: _omitted, ...others } = claims;
      return { sid: token.sid, ...(scopes.has('groups') ? claims : others) };
    },
  };
}
