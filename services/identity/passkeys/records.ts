import { type EntityManager } from '@bailiwick/database';
import { noticeTask } from '@bailiwick/events';
import { type Call } from '@bailiwick/rpc';
import { timeAfter } from '@bailiwick/values';
import { voidChallenges } from '../sessions/queries.ts';
import type { UserRow } from '../users/entities.ts';
import { recordUser } from '../users/records.ts';
import type { PasskeyRow } from './entities.ts';

const types = { added: 'user.passkey_added', removed: 'user.passkey_removed' } as const;
const notices = { added: 'passkey_added', removed: 'passkey_removed' } as const;

export const passkeyTarget = ({ id, name }: Pick<PasskeyRow, 'id' | 'name'>) => ({
  Type: 'passkey',
  ID: id,
  Name: name,
});

/**
 * Records that a passkey was added to or removed from a locked user, and mails the user a notice.
 * Changes the user's row and voids the user's challenges: a sign-in that is between its checks
 * notices it.
 */
export async function recordPasskey(
  em: EntityManager,
  call: Call,
  user: UserRow,
  passkey: Pick<PasskeyRow, 'id' | 'name'>,
  change: keyof typeof types,
): Promise<void> {
  user.updatedAt = timeAfter(user.updatedAt);
  await voidChallenges(em, user.id);
  recordUser(em, call, types[change], user, {
    targets: [passkeyTarget(passkey)],
    tasks: [noticeTask(notices[change], user.email, { locale: user.locale, name: passkey.name })],
  });
}
