import { type EntityManager, execute, type Run, type Statement } from '@bailiwick/database';

/** A stored user who may be one of an import's. */
export type KnownUser = { id: string; email_key: string; external_id: string };

const knownUsers: Statement = {
  name: 'identity.known_users',
  text: `select id, email_key, external_id from user_account where email_key = any($1)
         union
         select id, email_key, external_id from user_account where external_id = any($2) and external_id <> ''`,
};

/** The users with one of these addresses or external ids. */
export const findKnownUsers = (
  run: Run,
  emailKeys: readonly string[],
  externalIds: readonly string[],
): Promise<KnownUser[]> => run<KnownUser>(knownUsers, [emailKeys, externalIds]);

/** Deletes the pending registrations of addresses that an import has given accounts. */
export async function consumeRegistrations(
  em: EntityManager,
  emailKeys: readonly string[],
): Promise<void> {
  await execute(em, 'delete from registration where email_key = any($1)', [emailKeys]);
}
