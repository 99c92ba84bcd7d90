import { type Egress } from '@bailiwick/egress';
import { findClaim } from '../oidc/claims.ts';
import { type Budget, createFetch } from '../oidc/http.ts';
import { isObject } from '../oidc/json.ts';
import { invalidAnswer } from '../oidc/library-errors.ts';
import type { AssertedIdentity } from '../results.ts';
import type { OauthProvider } from './provider.ts';

type UserEndpoint = Pick<OauthProvider, 'issuer' | 'userinfoUrl' | 'emailsUrl' | 'subjectField'>;

/** The user of an access token, with the primary address if the provider lists addresses. */
export async function readUser(
  egress: Egress,
  budget: Budget,
  { issuer, userinfoUrl, emailsUrl, subjectField }: UserEndpoint,
  accessToken: string,
): Promise<AssertedIdentity> {
  const request = {
    method: 'GET',
    headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
  } as const;
  const answer = await createFetch(egress, budget, 'The user-info address')(userinfoUrl, request);
  const user = (await answer.json()) as Record<string, unknown>;
  const subject = subjectOf(user, subjectField);
  const claims = { ...user, [subjectField]: subject };
  if (emailsUrl === '') return { issuer, subject, claims, contexts: [] };
  const fetchList = createFetch(egress, budget, 'The address of the e-mail addresses', 'array');
  const addresses = (await (await fetchList(emailsUrl, request)).json()) as unknown[];
  return { issuer, subject, claims: { ...claims, ...primaryOf(addresses) }, contexts: [] };
}

/**
 * The subject as text. Numbers beyond 2^53 lose digits when they are read, so that two users would
 * become one.
 */
export function subjectOf(user: Readonly<Record<string, unknown>>, field: string): string {
  const claim = findClaim(user, field);
  if (typeof claim === 'number' && Number.isSafeInteger(claim)) return String(claim);
  if (typeof claim === 'string' && claim !== '' && claim.length <= 255) return claim;
  throw invalidAnswer(
    `The user-info response has no ${field} that is a text of 1 to 255 characters or a whole number.`,
  );
}

/** The claims of the primary address. The profile's own address is not known to be verified. */
export function primaryOf(addresses: readonly unknown[]) {
  const primary = addresses.filter(
    (entry) => isObject(entry) && entry['primary'] === true && typeof entry['email'] === 'string',
  ) as Array<{ email: string; verified?: unknown }>;
  if (primary.length > 1) throw invalidAnswer('The user has several primary addresses.');
  const [address] = primary;
  return { email: address?.email ?? '', email_verified: address?.verified === true };
}
