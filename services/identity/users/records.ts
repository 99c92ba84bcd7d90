import type { JsonObject } from '@bailiwick/contract';
import { type Change, record, type Target, type Task } from '@bailiwick/outbox';
import type { Transaction } from '@bailiwick/store';
import { type UserRow, userJson } from './entities.ts';

type RecordOptions = {
  tasks?: readonly Task[];
  previous?: JsonObject;
  targets?: readonly Target[];
  reason?: string;
};

/** Records a change of a user with an event that has the user's record. */
export function recordUser(
  tx: Transaction,
  type: string,
  user: UserRow,
  more: RecordOptions = {},
): void {
  record(tx, userChange(type, user, more));
}

/** A change of a user, with an event that has the user's record. */
export function userChange(type: string, user: UserRow, more: RecordOptions = {}): Change {
  const { targets: others = [], ...rest } = more;
  const targets = [{ Type: 'user', ID: user.id, Name: user.email }, ...others];
  return { tenant: '', type, data: userJson(user), targets, ...rest };
}

/** Audits a call about an address. The entry must look the same for known and unknown addresses. */
export function recordAuditOnly(
  tx: Transaction,
  action: string,
  address: string,
  tasks: readonly Task[],
): void {
  record(tx, {
    tenant: '',
    type: action,
    data: null,
    targets: [{ Type: 'address', ID: '', Name: address }],
    tasks,
  });
}
