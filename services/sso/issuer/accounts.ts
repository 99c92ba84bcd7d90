import type { Origin } from '@bailiwick/contract';
import type { Configuration } from 'oidc-provider';
import { appOf } from './clients.ts';
import { accountIn, botIn, type Context, type PersonAccount, stateOf } from './context.ts';
import { tenantOf } from './grants.ts';
import { mailClaimsOf, type People } from './people.ts';
import { originOf, type Person } from './request.ts';
import { claimsOfMember, type Tenants } from './tenants.ts';
import { unmetRequirement } from './unmet-requirement.ts';

type Rest = Pick<PersonAccount, 'member' | 'scopes' | 'unmet'>;

/** The origin that a code or token names. */
type Source = { sessionUid?: string; grantId?: string; scopes?: Set<string> };

/**
 * Whether the request keeps the session open, as offline_access allows. The repetition of a refresh
 * does not, and an application that asks about the person does not show that the person is there.
 */
const isRefresh = (ctx: Context): boolean =>
  ctx.oidc.entities.RefreshToken !== undefined &&
  ctx.oidc.route === 'token' &&
  stateOf(ctx).tokens?.presented?.payload.consumed === undefined;

/** The claims that a service reads in a token for it. Other tokens mean nothing to a service. */
const extraTokenClaims: Configuration['extraTokenClaims'] = ({ oidc }, token) => {
  const [account, bot] = [accountIn(oidc), botIn(oidc)];
  if (bot)
    return { ...(bot.tenant !== '' && { tenant: bot.tenant }), credential: bot.credentialId };
  if (token.kind === 'ClientCredentials' && oidc.client) {
    const { tenant } = appOf(oidc.client);
    return { ...(tenant !== '' && { tenant }), permissions: [...token.scopes] };
  }
  if (!account || !('sid' in token) || !token.resourceServer) return undefined;
  const { member, scopes } = account;
  if (!member) return { sid: token.sid };
  const claims = claimsOfMember(member, [...token.scopes]);
  const { groups: _groups, groups_omitted: _omitted, ...others } = claims;
  return { sid: token.sid, ...(scopes?.has('groups') ? claims : others) };
};

/** The person behind a request or a token, as oidc-provider asks for them each time. */
export function createAccounts(
  people: People,
  tenants: Tenants,
): Pick<Configuration, 'findAccount' | 'extraTokenClaims'> {
  /** An account whose live session has just been asked for. */
  const accountOf = (call: Origin, person: Person, rest: Rest): PersonAccount => ({
    ...rest,
    person,
    accountId: person.id,
    claims: async (_use, scope) => ({
      sub: person.id,
      ...mailClaimsOf(person),
      // Only these claims need the user's record.
      ...(scope.split(' ').includes('profile') && (await people.profileOf(person, call))),
      ...(rest.member && claimsOfMember(rest.member)),
    }),
  });

  /** The person whose session the browser has. */
  async function ofBrowser(ctx: Context, sub: string, tenant: string) {
    const { request } = stateOf(ctx);
    const { person } = request;
    if (person?.id !== sub) return undefined;
    const call = originOf(request);
    const unmet = await unmetRequirement(people, person, tenant, call);
    return accountOf(call, person, { unmet });
  }

  /** The token names the session that it came from: once that has ended, so has the token. */
  async function ofSource(ctx: Context, sub: string, source: Source) {
    const { oidc } = ctx;
    const call = originOf(stateOf(ctx).request);
    const { sessionUid = '', grantId = '', scopes } = source;
    const person = await people.ofSession(sessionUid, isRefresh(ctx), call);
    if (person?.id !== sub || !oidc.client) return undefined;
    const { Grant: requestGrant } = oidc.entities;
    const grant =
      requestGrant?.jti === grantId
        ? requestGrant
        : await oidc.provider.Grant.find(grantId, { ignoreExpiration: true });
    const inTenant = tenantOf(grant);
    const member = inTenant === '' ? undefined : await tenants.describe(person, inTenant, call);
    if (member && (await people.refusal(person, inTenant, call, member.effective)))
      return undefined;
    const own = appOf(oidc.client).tenant;
    if ((!member || own !== inTenant) && (await people.refusal(person, own, call)))
      return undefined;
    return accountOf(call, person, { member, scopes });
  }

  return {
    findAccount: (ctx, sub, source) => {
      const { client } = ctx.oidc;
      if (!client) return undefined;
      return source
        ? ofSource(ctx, sub, source as Source)
        : ofBrowser(ctx, sub, appOf(client).tenant);
    },
    extraTokenClaims,
  };
}
