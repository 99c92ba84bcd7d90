import type { Database, Statement } from '@bailiwick/shared/orm.ts';
import type { ChatKind } from '../chat/kinds.ts';
import type { Receiver } from './event.ts';

/** `kind` is which chat service it is; empty = a webhook. */
export type Addressee = Receiver & { kind: ChatKind | ''; createdAt: string };

const addressees: Statement = {
  name: 'notifications.addressees',
  text: `select id, active, event_types as "eventTypes", '' as kind, created_at as "createdAt" from webhook_endpoint where tenant = $1
         union all select id, active, event_types, kind, created_at from chat_endpoint where tenant = $1`,
};

/** A tenant's endpoints of both kinds, whatever they ask for: what each of them gets is for `withheld` to say. */
export function listAddressees(database: Database, tenant: string): Promise<Addressee[]> {
  return database.query<Addressee>(addressees, [tenant]);
}
