import type { Transaction } from '@bailiwick/store';
import { recordFactors } from '../factors/changes.ts';
import type { UserRow } from '../users/entities.ts';
import type { PasskeyRow } from './entities.ts';

export const passkeyTarget = ({ id, name }: Pick<PasskeyRow, 'id' | 'name'>) => ({
  Type: 'passkey',
  ID: id,
  Name: name,
});

/** Records that a passkey was added to or removed from a locked user, and mails the user. */
export const recordPasskey = (
  tx: Transaction,
  user: UserRow,
  passkey: Pick<PasskeyRow, 'id' | 'name'>,
  change: 'added' | 'removed',
): Promise<void> =>
  recordFactors(tx, user, {
    type: `user.passkey_${change}`,
    target: passkeyTarget(passkey),
    values: { name: passkey.name },
  });
