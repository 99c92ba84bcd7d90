import { createHash } from 'node:crypto';
import { type EntityManager, execute } from '@bailiwick/database';

/** A session that has ended. `reason` is that of a support session. */
export type EndedSession = { id: string; userId: string; reason: string };

/** The stored form of a support token’s hash. */
export const supportHash = (tokenHash: Uint8Array): Uint8Array =>
  createHash('sha256').update(tokenHash).digest();

/** Ends the support sessions that a user opened as an operator. */
export async function endSupport(em: EntityManager, operator: string): Promise<EndedSession[]> {
  return execute<EndedSession>(
    em,
    `delete from session where operator <> '' and operator = $1 returning id, user_id as "userId", reason`,
    [operator],
  );
}
