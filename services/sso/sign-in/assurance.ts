import { type Assurance, assurances } from '@bailiwick/contract';
import type { AssertedIdentity } from '../results.ts';

// A provider's statement about how it authenticated a person. Without a known value, a sign-in proves
// one factor.

/**
 * The values that count without a table of the provider: RFC 8176, OpenID's EAP ACR values and PAPE,
 * REFEDS, Entra ID and Okta.
 */
const defaultTable = new Map<unknown, Assurance>([
  ['mfa', 'aal2'],
  ['https://refeds.org/profile/mfa', 'aal2'],
  ['http://schemas.microsoft.com/claims/multipleauthn', 'aal2'],
  ['http://schemas.openid.net/pape/policies/2007/06/multi-factor', 'aal2'],
  ['urn:okta:loa:2fa:any', 'aal2'],
  ['fido', 'phishing_resistant'],
  ['phr', 'phishing_resistant'],
  ['phrh', 'phishing_resistant'],
  ['http://schemas.openid.net/pape/policies/2007/06/phishing-resistant', 'phishing_resistant'],
]);

/**
 * The assurance of a sign-in: the best of the provider's values. `own`: the
 * provider's own table, which replaces the usual one unless it is empty.
 */
export function readAssurance(
  { contexts }: Pick<AssertedIdentity, 'contexts'>,
  own: Readonly<Record<string, string>> = {},
): Assurance {
  const entries = Object.entries(own);
  const table: ReadonlyMap<unknown, string> = entries.length > 0 ? new Map(entries) : defaultTable;
  const levels = contexts.map((context) =>
    assurances.findIndex((assurance) => assurance === table.get(context)),
  );
  return assurances[Math.max(0, ...levels)] ?? 'aal1';
}
