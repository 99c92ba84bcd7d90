import { createCache } from '@bailiwick/broker';
import { type Egress } from '@bailiwick/egress';
import type { Log } from '@bailiwick/process';
import { assertIssuer, createDiscovery } from '../oidc/discovery.ts';
import { type Limits, limits as oidcLimits } from '../oidc/http.ts';
import type { Published } from '../oidc/published.ts';
import { SignInRefused } from '../refusal.ts';
import { type KeySet, keySetOf } from './subject-token.ts';

// The published keys of the issuers that bots trust. A caller names the token, so failures and
// unknown keys wait before the next fetch.

const size = 500;
const failureMs = 10_000;
const renewalMs = 60_000;

/** The keys of an issuer; undefined = they cannot be fetched. */
export type TrustedKeys = {
  find: (issuer: string) => Promise<KeySet | undefined>;
  /** Fetches the keys again, as they did not verify: at most once a minute for each issuer. */
  renew: (issuer: string) => Promise<KeySet | undefined>;
};

export function createTrustedKeys(
  egress: Egress,
  log: Log,
  limits: Limits = oidcLimits,
): TrustedKeys {
  // Not the one of the sign-ins: these issuers must not evict the providers of tenants.
  const discovery = createDiscovery(egress, limits);
  const keySets = createCache<KeySet | undefined>({ size, lifetimeMs: failureMs });
  const renewals = createCache<KeySet | undefined>({ size, lifetimeMs: renewalMs });

  const read = (issuer: string, published: Promise<Published>) =>
    published.then(keysIn).catch((error: unknown) => {
      if (!(error instanceof SignInRefused)) throw error;
      const { detail } = error;
      log.warn('fetching the keys of an issuer that bots trust failed', { issuer, detail });
      return undefined;
    });

  return {
    find: (issuer) => keySets.getOrLoad(issuer, () => read(issuer, discovery.find(issuer))),
    renew: (issuer) =>
      renewals.getOrLoad(issuer, async () => {
        const fresh = await read(issuer, discovery.refresh(issuer));
        keySets.forget(issuer);
        return fresh;
      }),
  };
}

function keysIn(published: Published): KeySet {
  assertIssuer(published, { anyDirectory: false });
  return keySetOf(published.keys.map(({ issuer: _issuer, ...key }) => key));
}
