import { findDomains } from '../domains/queries.ts';
import { openCredentials } from './credentials.ts';
import type { ProviderDeps } from './deps.ts';
import type { Finding } from './finding.ts';
import type { ProviderValues } from './record.ts';

/** Looks at a provider as a sign-in would, and at what of ours a sign-in through it needs. */
export async function lookOver(
  { database, keys, protocols }: ProviderDeps,
  provider: ProviderValues,
  signal: AbortSignal,
): Promise<Finding[]> {
  const [credentials, { verified }] = await Promise.all([
    openCredentials(keys, provider),
    findDomains(database, provider.tenant),
  ]);
  return [
    ...(await protocols.check(provider, credentials, signal)),
    activeFinding(provider),
    domainFinding(verified),
  ];
}

const activeFinding = ({ active }: ProviderValues): Finding =>
  active
    ? { check: 'active', level: 'ok', message: 'The provider is switched on.' }
    : {
        check: 'active',
        level: 'warning',
        message:
          'The provider is switched off: nobody can sign in through it until Active is true.',
      };

const domainFinding = (verified: readonly string[]): Finding =>
  verified.length > 0
    ? {
        check: 'domain',
        level: 'ok',
        message: `People with addresses in ${verified.join(', ')} can sign in.`,
      }
    : {
        check: 'domain',
        level: 'error',
        message:
          'The tenant has no verified domain, so nobody can sign in: claim one with Domain_Create and verify it with Domain_Verify.',
      };
