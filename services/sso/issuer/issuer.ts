import { createHash } from 'node:crypto';
import { type Egress } from '@bailiwick/egress';
import { type KeyRing, purposeKey } from '@bailiwick/keys';
import type { Handlers } from '@bailiwick/pipeline';
import type { AppLogout, Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { AppSignOuts } from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import type { JWK, default as Provider } from 'oidc-provider';
import { hasSignIn } from '../app-sign-ins/queries.ts';
import { signOutHandlers } from '../app-sign-ins/sign-outs/handlers.ts';
import { findApp } from '../apps/queries.ts';
import { createAccessTokens, createAppConfirmation } from './access-tokens.ts';
import { createBotAudit } from './bot-audit.ts';
import { type BotDeps, createBots } from './bots.ts';
import { createClientConfirmation } from './client-confirmation.ts';
import { cacheApps, createFindClient } from './clients.ts';
import { createConsents } from './consents.ts';
import type { IssuerDeps } from './deps.ts';
import { issuerHandlers } from './handlers.ts';
import { logoutHandlers } from './logout-tokens.ts';
import { createPeople, type PeopleDeps } from './people.ts';
import { createProvider } from './provider.ts';
import { receiptHandlers } from './receipts.ts';
import { createSigningKeys } from './signing-keys.ts';
import { createTenants, type TenantDeps } from './tenants.ts';
import { createTrustedKeys } from './trusted-keys.ts';

export type IssuerOptions = Pick<
  IssuerDeps,
  'database' | 'handover' | 'keys' | 'refusals' | 'limiter' | 'limits' | 'publicUrl' | 'log'
> &
  PeopleDeps &
  TenantDeps &
  Pick<BotDeps, 'admission'> &
  Egress & { ring: KeyRing };

/** The OpenID provider: apps sign people in with it. */
export function createIssuer(options: IssuerOptions): {
  issuer: Handlers<typeof Issuer>;
  logout: Handlers<typeof AppLogout>;
  signOuts: Handlers<typeof AppSignOuts>;
} {
  const { database, ring, publicUrl } = options;
  const tenants = createTenants(options);
  const people = createPeople(options, tenants);
  const loadApp = (clientId: string) => findApp(database, clientId);
  const consents = createConsents(database);
  const deps = {
    ...options,
    people,
    tenants,
    consents,
    findClient: createFindClient(cacheApps(options.rightsCache, loadApp), publicUrl),
    bots: createBots(options),
    proof: {
      ...options,
      keys: createTrustedKeys(options, options.log),
      audit: createBotAudit(options),
    },
  };
  const signingKeys = createSigningKeys(deps);
  const provider = followKeys(deps, signingKeys, ring);
  // The callers of these cache the answers themselves, or ask because a cached one may have ended.
  const tokenDeps = { signingKeys, findClient: createFindClient(loadApp, publicUrl), publicUrl };
  const verifyToken = createAccessTokens(tokenDeps);
  const confirmApp = createAppConfirmation(tokenDeps);
  const confirmClient = createClientConfirmation({
    ...tokenDeps,
    hasSignIn: (signIn) => hasSignIn(database, signIn),
    admission: options.admission,
  });
  return {
    issuer: issuerHandlers({ ...deps, provider, verifyToken, confirmApp, confirmClient }),
    logout: logoutHandlers({ database, provider }),
    signOuts: { ...signOutHandlers(database), ...receiptHandlers({ signingKeys, publicUrl }) },
  };
}

/** The provider with the present signing keys. It reads them once, so new keys need a new one. */
function followKeys(
  deps: IssuerDeps,
  signingKeys: ReturnType<typeof createSigningKeys>,
  ring: KeyRing,
): () => Promise<Provider> {
  let cached: { of: string; provider: Provider } | undefined;

  return async () => {
    const keys = await signingKeys.current();
    const of = idsOf(keys);
    if (cached?.of !== of) {
      const cookieKeys = ring.map(({ key }) => purposeKey(key, 'issuer-cookies').toString('hex'));
      cached = { of, provider: createProvider(deps, structuredClone(keys), cookieKeys) };
    }
    return cached.provider;
  };
}

const idsOf = (keys: readonly JWK[]): string =>
  createHash('sha256')
    .update(keys.map(({ kid }) => kid).join(' '))
    .digest('hex');
