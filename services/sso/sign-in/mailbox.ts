import { findEmail } from '@bailiwick/contract';
import type { ProviderValues } from '../providers/api-record.ts';
import { presets } from '../providers/presets.ts';
import type { Answer } from '../providers/protocols.ts';

/**
 * Whether a provider runs the mailbox of the address that it asserts: Google runs the mail of its own
 * domains and of the organisation that it names (hd). The others only say that the user has read a
 * mail to the address at some time. The preset alone does not prove Google: its Issuer can be
 * overridden.
 */
export function runsMailbox(
  { preset, attributeMap }: Pick<ProviderValues, 'preset' | 'attributeMap'>,
  { issuer, claims }: Pick<Answer, 'issuer' | 'claims'>,
  email: string,
): boolean {
  const domain = findEmail(email)?.domain;
  const isGoogle = preset === 'google' && issuer === presets['google']?.values.issuer;
  const isItsAddress = (attributeMap['Email'] ?? 'email') === 'email';
  if (!isGoogle || !isItsAddress || domain === undefined) return false;
  return claims['hd'] === domain || googleDomains.includes(domain);
}

const googleDomains: readonly string[] = ['gmail.com', 'googlemail.com'];
