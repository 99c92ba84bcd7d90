import { unauthenticated } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import { type Database, onPool } from '@bailiwick/store';
import { assertProven } from '../factors/changes.ts';
import { findUsers } from '../users/queries.ts';
import { findBotsAnywhere } from './queries.ts';

type OperatorCaller = Pick<Call['caller'], 'type' | 'id' | 'credentialId'>;

/**
 * The name of a caller who acts on the platform, "" = the platform key. @throws for a user as
 * provenName does
 */
export async function nameOfOperator(database: Database, caller: OperatorCaller): Promise<string> {
  if (caller.type === 'user') return provenName(database, caller);
  if (caller.type !== 'bot') return '';
  const [bot] = await findBotsAnywhere(database, [caller.id]);
  return bot?.name ?? caller.id;
}

/**
 * The name of a user who acts as an operator.
 * @throws permission_denied if the user signed in more than 15 minutes ago, or without the second
 * factor that the user has
 */
export async function provenName(
  database: Database,
  caller: Pick<Call['caller'], 'id' | 'credentialId'>,
): Promise<string> {
  await assertProven(onPool(database), caller);
  const [operator] = await findUsers(database, [caller.id]);
  // The operator was deleted meanwhile.
  if (!operator) throw unauthenticated();
  return operator.name || operator.email;
}
