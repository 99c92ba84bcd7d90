import { isDeepStrictEqual } from 'node:util';
import { type TenantKeys } from '@bailiwick/keys';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { recordHash } from '../app-sign-ins/record-hash.ts';
import { appOf } from './clients.ts';
import { accountIn, type Middleware, stateOf, type TokenRequest } from './context.ts';
import type { IssuerDeps } from './deps.ts';
import { answerModel, endFamily, findAnswer, issueRecords, type NewRecord } from './queries.ts';
import { openRecord, sealRecord } from './records.ts';
import { byIssuer, originOf } from './request.ts';

// Requests for tokens. The library checks one and makes its answer. One statement then uses up the
// code or token of the request and stores its results. A refused request therefore uses nothing up.
//
// A refresh token works once. Its answer is kept, sealed, for some seconds: a client that refreshed
// twice at once, or lost the answer, gets the same one again until it uses its new token. The library
// has checked the session, the grant and the app again by then. Any other second use may be a
// thief's, so it ends everything from the same sign-in.

type Deps = Pick<IssuerDeps, 'database' | 'keys' | 'log' | 'people'>;
type Context = Pick<KoaContextWithOIDC, 'oidc' | 'req'> & { status: number; body: unknown };

/** Another use of a code or token: its request got the first answer again, or was refused. */
export type SecondUse = Required<Pick<TokenRequest, 'presented'>> & { kind: 'repeated' | 'reused' };

/** The part of a request that a repetition must have in common with the first use. */
type Terms = {
  authentication: string;
  /** The key that the tokens are bound to; '' = none. */
  dpopKey: string;
  scope: string;
  resource: string;
  /** The rights of the issued token: the app or the grant may have fewer of them now. */
  issuedScope: string;
  issuedFor: string;
};

/** Answers a request for tokens, and returns whether its code or token was used before. */
export async function issueTogether(
  deps: Deps,
  ...[ctx, next]: Parameters<Middleware>
): Promise<SecondUse | undefined> {
  if (ctx.path !== '/oauth/token') return next();
  const tokens: TokenRequest = { uses: '' };
  const state = stateOf(ctx);
  state.tokens = tokens;
  await next();
  const context = ctx as unknown as Context;
  const records = [...state.records.values()];
  state.records.clear();
  try {
    if (context.status === 200) return await issue(deps, context, tokens, records);
    if (context.status < 500 && isSecondUse(tokens)) return await endAll(deps, context, tokens);
  } catch (error) {
    context.status = 500;
    context.body = { error: 'server_error', error_description: 'the tokens could not be stored' };
    deps.log.error('storing tokens failed', { error });
  }
  return tokens.isGrantRevoked ? useOf('reused', tokens) : undefined;
}

const useOf = (kind: SecondUse['kind'], { presented }: TokenRequest): SecondUse | undefined =>
  presented && { kind, presented };

/** Whether a refused request presented a used refresh token. A repeated proof says nothing of it. */
const isSecondUse = ({ presented, isProofRepeated }: TokenRequest): boolean =>
  presented?.model === 'RefreshToken' &&
  presented.payload.consumed !== undefined &&
  !isProofRepeated;

async function issue(
  deps: Deps,
  ctx: Context,
  tokens: TokenRequest,
  records: readonly NewRecord[],
) {
  const { database, keys } = deps;
  const { uses } = tokens;
  const answer = uses === '' ? undefined : await sealAnswer(keys, ctx, tokens);
  if (await issueRecords(database, byIssuer, uses, answer ? [...records, answer] : records)) {
    await endIfOver(deps, ctx, tokens);
    return undefined;
  }
  const stored = await findStoredAnswer(deps, ctx, tokens);
  if (!stored || !isDeepStrictEqual(stored.terms, termsOf(ctx))) return endAll(deps, ctx, tokens);
  ctx.body = stored.body;
  return useOf('repeated', tokens);
}

/** Refuses the request if the person's session has ended while its tokens were made. */
async function endIfOver({ database, people }: Deps, ctx: Context, { presented }: TokenRequest) {
  const account = accountIn(ctx.oidc);
  if (
    !account ||
    (await people.ofSession(account.person.credentialId, false, originOf(stateOf(ctx).request)))
  )
    return;
  if (presented) await endFamily(database, byIssuer, presented.id);
  refuse(ctx, new errors.InvalidGrant('the session has ended'));
}

function refuse(ctx: Context, { error, error_description, statusCode }: errors.InvalidGrant): void {
  ctx.status = statusCode;
  ctx.body = { error, error_description };
}

/** Ends all that came from the same sign-in, and refuses the request. */
async function endAll({ database }: Deps, ctx: Context, tokens: TokenRequest) {
  const hasEnded = await endFamily(database, byIssuer, tokens.presented?.id ?? '');
  if (ctx.status === 200) refuse(ctx, new errors.InvalidGrant('it was used before'));
  // Another request may have ended it before.
  return hasEnded ? useOf('reused', tokens) : undefined;
}

/** The answer to a refresh, for a repetition of the request; undefined if the app gets none. */
async function sealAnswer(keys: TenantKeys, ctx: Context, { presented }: TokenRequest) {
  const { client, params } = ctx.oidc;
  const token = params?.['refresh_token'];
  if (presented?.model !== 'RefreshToken' || !client || typeof token !== 'string') return undefined;
  const seconds = appOf(client).refreshReuseSeconds;
  if (seconds === 0) return undefined;
  const { grantId, sessionUid, clientId } = presented.payload;
  const payload = { grantId, sessionUid, clientId, terms: termsOf(ctx), body: ctx.body };
  return sealRecord(keys, { model: answerModel, key: token, payload, seconds });
}

async function findStoredAnswer(deps: Deps, { oidc }: Context, { presented }: TokenRequest) {
  const token = oidc.params?.['refresh_token'];
  if (presented?.model !== 'RefreshToken' || typeof token !== 'string') return undefined;
  const row = await findAnswer(deps.database, recordHash(answerModel, token));
  if (!row) return undefined;
  return (await openRecord(deps.keys, row)) as unknown as { terms: Terms; body: unknown };
}

function termsOf({ oidc }: Context): Terms {
  const { client, params, entities } = oidc;
  const { AccessToken: issued } = entities;
  return {
    authentication: client?.clientAuthMethod ?? '',
    dpopKey: issued?.jkt ?? '',
    scope: [...oidc.requestParamScopes].toSorted().join(' '),
    resource: [params?.['resource'] ?? []].flat().map(String).toSorted().join(' '),
    issuedScope: [...(issued?.scopes ?? [])].toSorted().join(' '),
    issuedFor: [issued?.aud ?? []].flat().join(' '),
  };
}
