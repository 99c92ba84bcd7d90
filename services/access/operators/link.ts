import { createToken, serviceOrigin, tokenHash } from '@bailiwick/contract';
import type { Database } from '@bailiwick/store';
import { addLink, hasOperator } from './queries.ts';

const lifetimeSeconds = 3600;

/**
 * Makes the token of a link that makes the first operator. Returns undefined if a user holds a role
 * on the platform already. For a command with access to the database, and no client.
 */
export function createOperatorToken(database: Database): Promise<string | undefined> {
  return database.transaction({ call: serviceOrigin('access'), tenant: '' }, async (tx) => {
    if (await hasOperator(tx.query)) return undefined;
    const token = createToken('operatorLink');
    await addLink(tx.query, tokenHash(token), lifetimeSeconds);
    return token;
  });
}
