import { randomBytes } from 'node:crypto';
import { accountScope, type Origin } from '@bailiwick/contract';
import type Provider from 'oidc-provider';
import type { Client, Grant, ResourceServer } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { identityScopes, mayAskFor } from '../apps/scopes.ts';
import { appOf } from './clients.ts';
import { commandLineId } from './command-line.ts';
import type { Consents } from './consents.ts';
import { accountIn, type Context, type Oidc, stateOf } from './context.ts';
import { grantLifetime } from './lifetimes.ts';
import type { People } from './people.ts';
import { originOf, type Person, type TenantOption } from './request.ts';
import type { Tenants } from './tenants.ts';
import { unmetRequirement } from './unmet-requirement.ts';

/** The resources that an app's tokens may be for, with the permissions that it may ask for there. */
export const createFindResource =
  (publicUrl: string) =>
  ({ oidc }: Context, resource: string, client: Client): ResourceServer => {
    const { resources, tokenLifetimeSeconds } = appOf(client);
    if (!resources.includes(resource)) throw new errors.InvalidTarget();
    const { AuthorizationCode: code, DeviceCode: device, RefreshToken: refresh } = oidc.entities;
    const sources = [oidc.requestParamScopes, code?.scopes, device?.scopes, refresh?.scopes];
    const requested = sources.flatMap((scopes) => [...(scopes ?? [])]);
    return {
      scope: scopesOf(client, requested)
        .filter((scope) => !identityScopes.includes(scope))
        // Other services know nothing of a person's account here.
        .filter((scope) => scope !== accountScope || resource === publicUrl)
        .join(' '),
      audience: resource,
      accessTokenFormat: 'jwt',
      accessTokenTTL: tokenLifetimeSeconds,
      jwt: { sign: { alg: 'ES256' } },
    };
  };

/** The tenant that a grant is for; '' = none. */
export const tenantOf = (grant: object | undefined): string =>
  grant && 'tenant' in grant && typeof grant.tenant === 'string' ? grant.tenant : '';

/** Makes grants keep their tenant. */
export function addTenantToGrants(provider: Provider): void {
  const stored = [...provider.Grant.IN_PAYLOAD, 'tenant'];
  Object.defineProperty(provider.Grant, 'IN_PAYLOAD', { get: () => stored });
}

/**
 * The person's grant to the app: the scopes that the app asks for and may have, in one tenant. Each
 * sign-in has a grant of its own, so the end of one does not end the others. Undefined if the person
 * has to choose a tenant, to prove more or to consent first.
 */
export const createGrants =
  ({ people, tenants, consents }: { people: People; tenants: Tenants; consents: Consents }) =>
  async (ctx: Context): Promise<Grant | undefined> => {
    const { oidc } = ctx;
    const call = originOf(stateOf(ctx).request);
    const { client, session, provider } = oidc;
    const account = accountIn(oidc);
    if (!client || !account || !session) return undefined;
    const { clientId } = client;
    const { person } = account;
    // This also stores the session, which an interaction needs.
    session.sidFor(clientId, session.uid);
    const requested = scopesOf(client, [...oidc.requestParamScopes]);
    const { requireConsent, tenant } = appOf(client);
    // The person has just confirmed it on the page of the device flow.
    if (requireConsent && oidc.route === 'code_verification')
      await consents.add(account.accountId, client, requested);
    if (account.unmet) return undefined;
    const option = await choose(tenants, oidc, person, call);
    account.asksTenant = option === 'ask';
    if (option === 'ask') return undefined;
    // The app's own tenant was asked with the account.
    if (option && option.id !== tenant)
      account.unmet = await unmetRequirement(people, person, option.id, call);
    if (account.unmet) return undefined;
    if (requireConsent) {
      const allowed = await consents.find(account.accountId, client);
      if (requested.some((scope) => !allowed.includes(scope))) return undefined;
    }
    const grant = new provider.Grant({ accountId: account.accountId, clientId });
    Object.assign(grant, { tenant: option?.id ?? '' });
    if (option) Object.assign(session.authorizationFor(clientId), { tenant: option.id });
    grant.addOIDCScope(requested.filter((scope) => identityScopes.includes(scope)).join(' '));
    for (const [resource, { scopes }] of Object.entries(oidc.resourceServers ?? {}))
      grant.addResourceScope(
        resource,
        [...oidc.requestParamScopes].filter((scope) => scopes.has(scope)).join(' '),
      );
    keepOffline(oidc);
    // The code names the grant, which sign-in-audit.ts stores with it.
    const jti = randomBytes(32).toString('base64url');
    Object.assign(grant, { jti, expiresIn: grantLifetime(client, person) });
    await grant.save();
    return grant;
  };

/**
 * The library drops offline_access from a request without a consent page. An app with refresh tokens
 * keeps it: clients such as Authlib repeat their scopes with each refresh (RFC 6749, section 6).
 */
function keepOffline({ client, params, requestParamScopes }: Oidc): void {
  if (!params || !client?.grantTypeAllowed('refresh_token')) return;
  params['scope'] = [...requestParamScopes.add('offline_access')].join(' ');
}

/**
 * The scopes that an app may have among those that it asks for. Its permissions may be patterns. An
 * app with refresh tokens gets one with each sign-in, so the person consents to it each time.
 */
export function scopesOf(client: Client, requested: readonly string[]): string[] {
  const { scopes } = appOf(client);
  const allowed = requested.filter((scope) => mayAskFor(scopes, scope));
  const implied = client.grantTypeAllowed('refresh_token') ? ['offline_access'] : [];
  return [...new Set([...allowed, ...implied])];
}

/** The tenant of a sign-in: the app's, the one that the request names, or the person's only one. */
async function choose(
  tenants: Tenants,
  { client, session, params, result }: Oidc,
  person: Person,
  call: Origin,
): Promise<Pick<TenantOption, 'id'> | 'ask' | undefined> {
  if (!client || !session) return undefined;
  const { tenant } = appOf(client);
  // The person was found to be a member when the account was asked for.
  if (tenant !== '') return { id: tenant };
  const options = await tenants.ofPerson(person, call);
  const findOption = (name: unknown) =>
    options.find(({ id, slug }) => name !== '' && (id === name || slug === name));
  const requested = params?.['tenant'] || params?.['organization'];
  if (requested) {
    const option = findOption(requested);
    if (!option) throw new errors.AccessDenied('the user is not a member of that organisation');
    return option;
  }
  // The command line works in all tenants of its user.
  if (client.clientId === commandLineId) return undefined;
  const choice = (result as { select_account?: { tenant?: string } } | undefined)?.select_account;
  const { tenant: previous } = session.authorizationFor(client.clientId) as { tenant?: string };
  return (
    findOption(choice?.tenant) ?? findOption(previous) ?? (options.length > 1 ? 'ask' : options[0])
  );
}
