import { leaseMs } from '@bailiwick/broker';
import { common, lastsOf } from '@bailiwick/contract';
import { unauthenticated } from '@bailiwick/errors';
import {
  type Credentials,
  type ResolveResponse,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import {
  Issuer,
  type IssuerVerifyTokenResponse,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { asService } from '@bailiwick/wire';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { keysOf, type Resolved } from './principal.ts';
import type { Uses } from './uses.ts';

// Access tokens of the OpenID provider as credentials. sso, which has the keys, verifies the token
// and its app; identity says whether the session or the bot's credential is still live.

/** A JWT: header, claims and signature. Others cost no call. */
const form = /^[A-Za-z0-9_-]{2,2048}\.[A-Za-z0-9_-]{2,14000}\.[A-Za-z0-9_-]{86}$/;

export const isAccessToken = (token: string): boolean => form.test(token);

/** Narrows to nothing. An empty list would narrow nothing. */
const nothing = [''];

/**
 * Resolves access tokens. `name` names the token in the cache of rights. The function throws
 * unauthenticated.
 */
export function createAccessTokens(
  sso: Transport,
  credentials: Client<typeof Credentials>,
  uses: Uses,
) {
  const issuer = createClient(Issuer, asService(sso, 'gateway'));
  return async (token: string, name: string, ip: string): Promise<Resolved> => {
    const claims = await issuer.verifyToken({ token });
    const holder = await holderOf(credentials, claims, { ip });
    const { unchangedFor, firstUseIn, useEvery, ...principal } = holder;
    const { clientId } = claims;
    return {
      principal: {
        ...principal,
        clientId,
        narrowedTo: narrowingOf(claims, principal),
        limitedTo: limitOf(claims, principal),
        rightsOf: `token ${name}`,
        rightsKeys: [],
      },
      keys: [...keysOf(principal), `app:${clientId}`, 'issuer:keys'],
      // An sso of the previous version does not say that its keys are the present ones.
      lastsMs: Math.min(lastsOf(claims, 0), lastsOf({ unchangedFor }, leaseMs)),
      noteUse: uses.of(principal, { firstUseIn, useEvery }),
    };
  };
}

type Claims = IssuerVerifyTokenResponse;

/** The claims that name the holder of a token. */
export type TokenHolder = Pick<Claims, 'subject' | 'sessionId' | 'credentialId' | 'tenant'>;

/**
 * The user of the token's session, or the bot of its credential. `unused`: the call is no use of it.
 * @throws unauthenticated
 */
export async function holderOf(
  credentials: Client<typeof Credentials>,
  { subject, sessionId, credentialId, tenant }: TokenHolder,
  { ip = '', unused = false }: { ip?: string; unused?: boolean },
): Promise<ResolveResponse> {
  const use = { recordsUses: true, unused };
  const { principal } =
    sessionId === ''
      ? await credentials.resolveBot({ tenant, bot: subject, credentialId, ip, ...use })
      : await credentials.resolveSession({ sessionId, ...use });
  if (principal?.id !== subject) throw unauthenticated();
  return principal;
}

/** The token's scopes, and for a bot's key only those that the key has too. */
function narrowingOf({ scopes }: Claims, { narrowedTo }: ResolveResponse): string[] {
  const both = narrowedTo.length === 0 ? scopes : common(scopes, narrowedTo);
  return both.length === 0 ? nothing : both;
}

/**
 * The only tenant of the token. A session of one tenant's provider has no token for another. A bot's
 * token names the bot's own tenant, and works where its key does.
 */
export function limitOf(
  { tenant }: Pick<Claims, 'tenant'>,
  { type, limitedTo }: ResolveResponse,
): string {
  if (type === 'bot') return '';
  if (limitedTo !== '' && limitedTo !== tenant) throw unauthenticated();
  return tenant;
}
