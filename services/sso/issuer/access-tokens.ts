import { durationOf } from '@bailiwick/contract';
import { unauthenticated } from '@bailiwick/errors';
import {
  type Duration,
  type Timestamp,
  timestampFromMs,
  timestampMs,
} from '@bufbuild/protobuf/wkt';
import { createLocalJWKSet, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import type { JWK as SigningKey } from 'oidc-provider';
import { mayAskFor } from '../apps/scopes.ts';
import type { FindClient } from './clients.ts';
import type { ClientApp } from './context.ts';
import type { createSigningKeys } from './signing-keys.ts';

// Access tokens for Bailiwick's own operations: JWTs (RFC 9068) whose audience is the issuer.

type Deps = {
  signingKeys: ReturnType<typeof createSigningKeys>;
  findClient: FindClient;
  publicUrl: string;
};

/** The content of a valid token. The session or the bot's credential may have ended since. */
type Claims = {
  subject: string;
  clientId: string;
  sessionId: string;
  credentialId: string;
  tenant: string;
  scopes: string[];
  expiresAt: Timestamp;
};

/** The same, and how long it stays so while no key is withdrawn and no app changed. */
export type AccessToken = Claims & { unchangedFor: Duration };

/** How far ahead the clock of the process that signed may be, in seconds. */
const leeway = 5;

export function createAccessTokens({ signingKeys, findClient, publicUrl }: Deps) {
  const keySet = followPublicKeys(signingKeys);

  /** Verifies a token and its app. @throws unauthenticated */
  return async (token: string): Promise<AccessToken> => {
    const { claims, key, issuedAt } = await verify(token, await keySet(), publicUrl);
    // A gateway caches the answer until the key is withdrawn, so it must not rest on an older copy.
    if (!(await signingKeys.has(key))) throw unauthenticated();
    const app = isOwn(claims) ? undefined : await appOfToken(findClient, claims.clientId);
    if (app && !isStillFor(app, claims.tenant, publicUrl)) throw unauthenticated();
    if (app && !isSinceLock(app, issuedAt)) throw unauthenticated();
    const { scopes } = claims;
    return {
      ...claims,
      scopes: app ? scopes.filter((one) => mayAskFor(app.scopes, one)) : scopes,
      unchangedFor: durationOf(timestampMs(claims.expiresAt) - Date.now()),
    };
  };
}

type Keys = ReturnType<typeof createLocalJWKSet>;

/** Which scopes of a token its app may still have. @throws unauthenticated */
export const createAppConfirmation =
  ({ findClient, publicUrl }: Omit<Deps, 'signingKeys'>) =>
  async (token: Pick<AccessToken, 'clientId' | 'tenant' | 'scopes'>): Promise<string[]> => {
    const app = await appOfToken(findClient, token.clientId);
    if (!isStillFor(app, token.tenant, publicUrl)) throw unauthenticated();
    return token.scopes.filter((one) => mayAskFor(app.scopes, one));
  };

/** The public keys of the tokens. They are read once for each list of keys. */
function followPublicKeys({ current }: Deps['signingKeys']): () => Promise<Keys> {
  let read: { of: readonly object[]; keys: Keys } | undefined;
  return async () => {
    const of = await current();
    if (read?.of !== of) read = { of, keys: createLocalJWKSet({ keys: of.flatMap(publicKeyOf) }) };
    return read.keys;
  };
}

/** Access tokens are signed with ES256 only. */
const publicKeyOf = ({ kty, crv, x, y, kid, alg }: SigningKey): JWK[] =>
  alg === 'ES256' && kty && crv && x && y && kid ? [{ kty, crv, x, y, kid, alg }] : [];

type Verified = { claims: Claims; key: string; issuedAt: number };

/** Verifies a token; `key`: the ID of the key that signed it; `issuedAt`: in seconds. */
async function verify(token: string, keys: Keys, publicUrl: string): Promise<Verified> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms: ['ES256'],
    typ: 'at+jwt',
    issuer: publicUrl,
    audience: publicUrl,
    requiredClaims: ['sub', 'client_id', 'iat', 'exp', 'jti'],
  }).catch((error: unknown) => {
    throw error instanceof errors.JOSEError ? unauthenticated() : error;
  });
  // A token for several services could be replayed by each of them.
  if (payload.aud !== publicUrl) throw unauthenticated();
  if ('cnf' in payload)
    throw unauthenticated(
      'this operation does not accept access tokens that are bound to a key (DPoP)',
    );
  const { iat: issuedAt = 0 } = payload;
  return { claims: claimsOf(payload), key: protectedHeader.kid ?? '', issuedAt };
}

function claimsOf(payload: JWTPayload): Claims {
  const text = (name: string): string => {
    const claim = payload[name] ?? '';
    if (typeof claim !== 'string') throw unauthenticated();
    return claim;
  };
  const { iat = 0, exp = 0 } = payload;
  if (iat > Date.now() / 1000 + leeway) throw unauthenticated();
  const claims = {
    subject: text('sub'),
    clientId: text('client_id'),
    sessionId: text('sid'),
    credentialId: text('credential'),
    tenant: text('tenant'),
    scopes: text('scope')
      .split(' ')
      .filter((scope) => scope !== ''),
    expiresAt: timestampFromMs(exp * 1000),
  };
  // Either a person with a session, or a bot with a credential. Apps have no rights here.
  const isBot = claims.credentialId !== '' && isOwn(claims) && claims.sessionId === '';
  const isPerson = claims.sessionId !== '' && !isOwn(claims) && claims.credentialId === '';
  if (!isBot && !isPerson) throw unauthenticated();
  return claims;
}

/** Whether the subject got the token for itself. */
const isOwn = ({ subject, clientId }: Claims): boolean => subject === clientId;

async function appOfToken(findClient: FindClient, clientId: string): Promise<ClientApp> {
  const client = await findClient(clientId);
  if (!client) throw unauthenticated();
  return (client as unknown as { app: ClientApp }).app;
}

/** A token from before a lock stays refused when the app is active again, also if the clock ran ahead. */
const isSinceLock = ({ lockedAt }: ClientApp, issuedAt: number): boolean =>
  lockedAt === null || issuedAt > new Date(lockedAt).getTime() / 1000 + leeway;

/** Whether an app may still have such tokens. */
const isStillFor = ({ tenant, resources }: ClientApp, ofToken: string, publicUrl: string) =>
  (tenant === '' || tenant === ofToken) && resources.includes(publicUrl);
