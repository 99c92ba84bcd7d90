import { type Database, type Statement } from '@bailiwick/database';
import type { ChatKind } from '../chat-kinds.ts';
import type { Receiver } from './event.ts';

/** `kind`: the chat service; empty = a webhook. */
export type FanoutEndpoint = Receiver & { kind: ChatKind | ''; createdAt: string };

const fanoutEndpoints: Statement = {
  name: 'notifications.addressees',
  text: `select id, active, event_types as "eventTypes", '' as kind, created_at as "createdAt" from webhook_endpoint where tenant = $1
         union all select id, active, event_types, kind, created_at from chat_endpoint where tenant = $1`,
};

/** A tenant's endpoints of both kinds. `skipReason` filters them by their EventTypes. */
export function listFanoutEndpoints(database: Database, tenant: string): Promise<FanoutEndpoint[]> {
  return database.query<FanoutEndpoint>(fanoutEndpoints, [tenant]);
}
