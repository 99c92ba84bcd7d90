import { findEmail } from '@bailiwick/values';
import type { ProviderValues } from '../providers/api-record.ts';
import type { Answer } from '../providers/protocols.ts';

/**
 * Whether a provider runs the mailbox of the address that it asserts: Google runs the mail of its own
 * domains and of the organisation that it names (hd). All others say only that somebody could read a
 * mail to the address once.
 */
export function runsMailbox(
  { preset, attributeMap }: Pick<ProviderValues, 'preset' | 'attributeMap'>,
  { claims }: Pick<Answer, 'claims'>,
  email: string,
): boolean {
  const domain = findEmail(email)?.domain;
  const isGoogle = preset === 'google' && (attributeMap['Email'] ?? 'email') === 'email';
  if (!isGoogle || domain === undefined) return false;
  return claims['hd'] === domain || googleDomains.includes(domain);
}

const googleDomains: readonly string[] = ['gmail.com', 'googlemail.com'];
