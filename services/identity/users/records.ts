import type { JsonObject } from '@bailiwick/contract';
import { type Change, recordChange, type Target, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { EntityManager } from '@bailiwick/store';
import { type UserRow, userJson } from './entities.ts';

type RecordedWith = { tasks?: readonly Task[]; previous?: JsonObject; targets?: readonly Target[] };

/** Records a change of a user with an event that has the user's record. */
export function recordUser(
  em: EntityManager,
  call: Call,
  type: string,
  user: UserRow,
  more: RecordedWith = {},
): void {
  recordChange(em, call, userChange(type, user, more));
}

/** A change of a user, with an event that has the user's record. */
export function userChange(type: string, user: UserRow, more: RecordedWith = {}): Change {
  const { targets: others = [], ...rest } = more;
  const targets = [{ Type: 'user', ID: user.id, Name: user.email }, ...others];
  return { tenant: '', type, data: userJson(user), targets, ...rest };
}

/** Audits a call about an address. The entry must look the same for known and unknown addresses. */
export function recordAuditOnly(
  em: EntityManager,
  call: Call,
  action: string,
  address: string,
  tasks: readonly Task[],
): void {
  recordChange(em, call, {
    tenant: '',
    type: action,
    data: null,
    targets: [{ Type: 'address', ID: '', Name: address }],
    tasks,
  });
}
