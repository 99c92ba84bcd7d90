import { createId } from '@bailiwick/contract';
import type { Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';

/** Writes an event of identity about a bot, caused by a user, to its outbox. */
export async function emitBotEvent(
  stack: Stack,
  userId: string,
  { type, tenant, data }: { type: string; tenant: string; data: object },
): Promise<void> {
  const id = createId('evt');
  const event = {
    id,
    type,
    timestamp: new Date().toISOString(),
    tenant,
    actor: { type: 'user', id: userId },
    apiVersion: '1.0.0',
    data,
    previous: {},
  };
  const audit = {
    ID: createId('aud'),
    Tenant: tenant,
    OccurredAt: event.timestamp,
    Action: type,
    Operation: 'Bots_Save',
    Result: 'success',
    Code: '',
  };
  const actor = {
    ActorType: 'user',
    ActorID: userId,
    CredentialID: '',
    IP: '',
    UserAgent: '',
    RequestID: '',
    TraceID: '',
    Permission: '',
    GrantID: '',
  };
  await rowsOf(
    stack,
    `insert into identity.outbox (id, for_tenant, type, event, audit, tasks, traceparent, created_at) values ($1, $2, $3, $4, $5, '[]', '', now())`,
    [
      id,
      tenant,
      type,
      JSON.stringify(event),
      JSON.stringify({ ...audit, ...actor, Targets: [], Changes: [] }),
    ],
  );
}
