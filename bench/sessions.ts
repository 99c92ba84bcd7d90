import { serviceOrigin } from '@bailiwick/contract';
import { identitySchema } from '@bailiwick/identity/schema.ts';
import { beginIfUnchanged } from '@bailiwick/identity/sessions/begin.ts';
import { ownSignIn } from '@bailiwick/identity/sessions/entities.ts';
import { findUsers } from '@bailiwick/identity/users/queries.ts';
import { createHandover } from '@bailiwick/outbox';
import type { Log } from '@bailiwick/process';
import { openDatabase } from '@bailiwick/store';
import { eventually, type Stack } from '@bailiwick/test/support/harness.ts';
import { countOf } from '@bailiwick/test/support/store.ts';
import { filledId, fillUsers } from './generate.ts';

/** A session of the user, as an application holds it. */
export type Session = { userId: string; token: string };

const connections = 8;
const batch = 500;
const log: Log = { info() {}, warn() {}, error: (message) => console.error(message) };

/** Makes `count` members of a tenant and opens a session for each. */
export async function openSessions(
  stack: Stack,
  tenant: string,
  count: number,
): Promise<Session[]> {
  await fillUsers(stack, tenant, count);
  return sessionsOf(
    stack,
    Array.from({ length: count }, (_, index) => filledId('usr', index + 1)),
  );
}

/**
 * Opens a session for each user with identity's own function, a hundred times as fast as by signing
 * in. Returns when the events of all these sign-ins are published. In no certain order.
 */
export async function sessionsOf(stack: Stack, userIds: readonly string[]): Promise<Session[]> {
  const ids = [...userIds];
  const database = openDatabase({
    service: identitySchema.service,
    url: stack.databaseUrl,
    entities: identitySchema.entities,
    poolSize: connections,
    log,
  });
  const origin = serviceOrigin('identity', 'Account_Login');
  const from = ownSignIn(origin, { authMethod: 'password', assurance: 'aal1' });
  // The product's relay finds the rows by itself.
  const deps = { database, handover: createHandover() };
  const sessions: Session[] = [];
  async function openNext(): Promise<void> {
    for (let part = ids.splice(0, batch); part.length > 0; part = ids.splice(0, batch))
      for (const user of await findUsers(database, part)) {
        const session = await beginIfUnchanged(deps, origin, user, from);
        if (!session) throw new Error(`${user.id} changed meanwhile`);
        sessions.push({ userId: user.id, token: session.token });
      }
  }
  await Promise.all(Array.from({ length: connections }, openNext));
  await database.close();
  await eventually(
    'the relay to publish all sign-ins',
    async () => (await countOf(stack, 'identity.outbox where published_at is null')) === 0,
    600_000,
  );
  return sessions;
}
