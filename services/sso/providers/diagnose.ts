import { findDomains } from '../domains/queries.ts';
import type { Finding } from '../results.ts';
import type { ProviderValues } from './api-record.ts';
import { openCredentials } from './credentials.ts';
import type { ProviderDeps } from './deps.ts';

/** Tests a provider as a sign-in would use it, and the tenant's own prerequisites for a sign-in. */
export async function diagnose(
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
    ...warningFindings(provider),
    ...metadataFindings(provider),
    ...(provider.tenant === '' ? [] : [domainFinding(verified)]),
  ];
}

/** The stored warnings that no request to the provider shows, by their findings. */
const warnings: Readonly<Record<string, string>> = {
  CLAIMS_ABSENT: 'claims',
  GROUPS_ABSENT: 'claims',
  CERTIFICATES_LEFT_OUT: 'identity provider certificates',
  ADDRESS_DIFFERS: 'sign-on address',
};

function warningFindings({ lastWarning }: ProviderValues): Finding[] {
  const [, reason = '', message = ''] = /^([A-Z_]+): (.*)$/s.exec(lastWarning) ?? [];
  const check = Object.hasOwn(warnings, reason) ? warnings[reason] : undefined;
  return check === undefined ? [] : [{ check, level: 'warning', message }];
}

function metadataFindings({ metadataUrl, metadataError }: ProviderValues): Finding[] {
  const check = 'metadata';
  if (metadataUrl === '') return [];
  return metadataError === ''
    ? [{ check, level: 'ok', message: 'The metadata is read daily for new certificates.' }]
    : [
        {
          check,
          level: 'warning',
          message: `The metadata cannot be read, so new certificates are not found: ${metadataError}`,
        },
      ];
}

const activeFinding = ({ active }: ProviderValues): Finding =>
  active
    ? { check: 'active', level: 'ok', message: 'The provider is active.' }
    : {
        check: 'active',
        level: 'warning',
        message: 'The provider is inactive: users cannot sign in through it until Active is true.',
      };

const domainFinding = (verified: readonly string[]): Finding =>
  verified.length > 0
    ? {
        check: 'domain',
        level: 'ok',
        message: `Users with addresses in ${verified.join(', ')} can sign in.`,
      }
    : {
        check: 'domain',
        level: 'error',
        message:
          'The tenant has no verified domain, so users cannot sign in: claim one with Domain_Create and verify it with Domain_Verify.',
      };
