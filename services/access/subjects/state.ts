import { notFound } from '@bailiwick/errors';
import { lockName, lockNames, type Transaction } from '@bailiwick/store';
import { keyOfSubject } from '../decisions/effective.ts';
import { rowOf } from '../rows.ts';
import { SubjectStateEntity } from './entities.ts';

// The status of users and bots that decisions depend on. identity owns the subjects and reports
// changes.

/** A user marked as leaving who still exists after this time is not being deleted. */
const leavingMs = 60_000;

export type ReportedState = 'active' | 'disabled' | 'deleted';

/**
 * Stores a report of identity. Reports may arrive twice and in any order: an older one is ignored,
 * and deletion is final.
 */
export async function setSubjectState(
  tx: Transaction,
  subject: string,
  state: ReportedState,
  changedAt: Date,
): Promise<void> {
  await lockSubject(tx, subject);
  const now = new Date();
  const stored = await tx.em.findOne(SubjectStateEntity, { subject });
  // identity records the event, and the caller of this function signals the revocation.
  const revoke = () => void tx.revokes.add(keyOfSubject(subject));
  if (!stored) {
    tx.em.persist(tx.em.create(SubjectStateEntity, { subject, state, since: now, changedAt }));
    return revoke();
  }
  if (stored.state === 'deleted' || (state !== 'deleted' && stored.changedAt > changedAt)) return;
  stored.changedAt = changedAt;
  // A leaving user stays leaving, even if enabled meanwhile.
  if (stored.state === state || (stored.state === 'leaving' && state === 'active')) return;
  stored.state = state;
  stored.since = now;
  revoke();
}

/**
 * Marks a user as about to be deleted. A disabled user does not count as an owner anyway and stays
 * disabled.
 */
export async function markLeaving(tx: Transaction, subject: string): Promise<void> {
  const now = new Date();
  const stored = await tx.em.findOne(SubjectStateEntity, { subject });
  if (!stored)
    tx.em.persist(
      tx.em.create(SubjectStateEntity, {
        subject,
        state: 'leaving',
        since: now,
        changedAt: new Date(0),
      }),
    );
  else if (stored.state === 'active' || stored.state === 'leaving') {
    stored.state = 'leaving';
    stored.since = now;
  }
}

/**
 * Locks the status of a user or bot until the transaction ends. Take it before locking any row of a
 * tenant.
 */
export const lockSubject = (tx: Transaction, subject: string): Promise<void> =>
  lockName(tx, rowOf.subject(subject));

/** The reported status of a user or bot, or null, locked until the transaction ends. */
export async function lockState(tx: Transaction, subject: string) {
  await lockSubject(tx, subject);
  return tx.em.findOne(SubjectStateEntity, { subject });
}

/** Those of these subjects who are active, all locked until the transaction ends. */
export async function lockActive(
  tx: Transaction,
  subjects: readonly string[],
): Promise<ReadonlySet<string>> {
  await lockNames(
    tx,
    subjects.map((subject) => rowOf.subject(subject)),
  );
  const states = await tx.em.find(SubjectStateEntity, { subject: { $in: [...subjects] } });
  const inactive = new Set(
    states.filter(({ state }) => state !== 'active').map(({ subject }) => subject),
  );
  return new Set(subjects.filter((subject) => !inactive.has(subject)));
}

/**
 * Throws not_found for a user or bot deleted since the call began. Locks the status until the
 * transaction ends.
 */
export async function assertPresent(
  tx: Transaction,
  subject: string,
  what: 'user' | 'bot',
): Promise<void> {
  if ((await lockState(tx, subject))?.state === 'deleted') throw notFound(what);
}

/**
 * Like assertPresent, and throws for a user who is about to be deleted: a tenant owned by that user
 * alone would be left without an owner.
 */
export async function assertStaying(tx: Transaction, subject: string): Promise<void> {
  await assertPresent(tx, subject, 'user');
  const stored = await tx.em.findOne(SubjectStateEntity, { subject });
  if (stored?.state === 'leaving' && stored.since.getTime() > Date.now() - leavingMs)
    throw notFound('user');
}
