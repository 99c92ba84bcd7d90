import { notFound } from '@bailiwick/shared/errors.ts';
import { type EntityManager, lockName } from '@bailiwick/shared/orm.ts';
import { SubjectStateEntity } from '../decisions/entities.ts';

// What has become of users and bots. They are identity's; here is what decisions need to know of them.

/** A user who was about to be deleted this long ago and is still there has stayed. */
const leavingMs = 60_000;

export type ToldState = 'active' | 'disabled' | 'deleted';

/** Notes what identity tells. News come twice and in any order: what is older than what is known changes nothing, and nobody comes back from deletion. */
export async function setSubjectState(
  em: EntityManager,
  subject: string,
  state: ToldState,
  changedAt: Date,
): Promise<void> {
  await lockSubject(em, subject);
  const now = new Date();
  const stored = await em.findOne(SubjectStateEntity, { subject });
  if (!stored) {
    em.persist(em.create(SubjectStateEntity, { subject, state, since: now, changedAt }));
    return;
  }
  if (stored.state === 'deleted' || (state !== 'deleted' && stored.changedAt > changedAt)) return;
  stored.changedAt = changedAt;
  // Who is leaving does so whether or not somebody enables them meanwhile.
  if (stored.state === state || (stored.state === 'leaving' && state === 'active')) return;
  stored.state = state;
  stored.since = now;
}

/** Notes that a user is about to be deleted. One that is disabled counts as no owner already, and stays shut out. */
export async function markLeaving(em: EntityManager, subject: string): Promise<void> {
  const now = new Date();
  const stored = await em.findOne(SubjectStateEntity, { subject });
  if (!stored)
    em.persist(
      em.create(SubjectStateEntity, {
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

/** Keeps what becomes of a user or bot from changing until the transaction ends. To be taken before any row of a tenant is locked. */
export const lockSubject = (em: EntityManager, subject: string): Promise<void> =>
  lockName(em, `subject ${subject}`);

/** What is known of a user or bot, if anything was ever told. It stays so until the transaction ends. */
export async function lockState(em: EntityManager, subject: string) {
  await lockSubject(em, subject);
  return em.findOne(SubjectStateEntity, { subject });
}

/** Throws not_found for a user or bot that has been deleted since the call began. It stays until the transaction ends. */
export async function assertPresent(
  em: EntityManager,
  subject: string,
  what: 'user' | 'bot',
): Promise<void> {
  if ((await lockState(em, subject))?.state === 'deleted') throw notFound(what);
}

/** The same, and for a user who is about to be deleted: what that user alone would own would be nobody's. */
export async function assertStaying(em: EntityManager, subject: string): Promise<void> {
  await assertPresent(em, subject, 'user');
  const stored = await em.findOne(SubjectStateEntity, { subject });
  if (stored?.state === 'leaving' && stored.since.getTime() > Date.now() - leavingMs)
    throw notFound('user');
}
