import {
  type Email,
  invitationProof,
  normaliseEmail,
  tokenHash,
  tokenKind,
} from '@bailiwick/contract';
import { openForPurpose } from '@bailiwick/keys';
import type { Call } from '@bailiwick/pipeline';
import type { AccountRegisterRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { AccountDeps } from './deps.ts';

/**
 * Whether the link of a pending invitation proves this address. The inviter knows the token too, so
 * it proves nothing without the secret that only the mail has.
 */
export async function provesAddress(
  { keyRing, admission }: Pick<AccountDeps, 'keyRing' | 'admission'>,
  { key }: Email,
  { invitation, invitationProof: proof }: AccountRegisterRequest,
  call: Call,
): Promise<boolean> {
  if (tokenKind(invitation) !== 'invitation') return false;
  try {
    if (openForPurpose(keyRing, invitationProof, proof, [invitation]) !== key) return false;
  } catch {
    // Not sealed by this installation.
    return false;
  }
  const { email } = await admission.findInvited({ tokenHash: tokenHash(invitation) }, call, {
    signal: call.signal,
  });
  return email !== '' && normaliseEmail(email).key === key;
}
