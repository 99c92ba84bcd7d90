import { Buffer } from 'node:buffer';
import { timeOfId } from '@bailiwick/contract';
import { CannotOpen } from '@bailiwick/keys';
import type { Database } from '@bailiwick/store';
import { type FanoutEvent, isAboutEndpoints, readEvent } from '../fanout/event.ts';
import type { Store } from '../queue/store.ts';
import { findPublishedEvent, findTrace, isPing, pingType, type Trace } from './queries.ts';

export type EventDeps = { database: Database; store: Pick<Store, 'openRequest'> };

/**
 * An event of a tenant as fan-out sees it: from the outbox of this service, or from its deliveries.
 * Returns undefined if neither has it.
 */
export async function findEvent(
  deps: EventDeps,
  tenant: string,
  id: string,
): Promise<FanoutEvent | undefined> {
  const text = await findPublishedEvent(deps.database, tenant, id);
  if (text !== undefined) return readEvent(JSON.stringify({ event: text }));
  const trace = await findTrace(deps.database, tenant, id);
  const timestamp = timeOfId(id).toISOString();
  const attempted = { id, tenant, timestamp, subject: '', email: '', formerTenants: [], text: '' };
  if (!trace)
    return (await isPing(deps.database, tenant, id)) ? { ...attempted, type: pingType } : undefined;
  const { type } = trace;
  // Opening a request takes the key service: only if an attempt does not say enough.
  if (type !== null && !isAboutEndpoints(type)) return { ...attempted, type };
  const request = await openTrace(deps, trace);
  const event = eventIn(request);
  if (event) return event;
  const { Type } = request ?? {};
  return { ...attempted, type: type ?? (typeof Type === 'string' ? Type : '') };
}

/** The request of a trace; undefined if it is not kept, or its data key was deleted. */
async function openTrace(
  { store }: EventDeps,
  { task, ...row }: Trace,
): Promise<Record<string, unknown> | undefined> {
  if (task === null) return undefined;
  try {
    return await store.openRequest({ ...row, task });
  } catch (error) {
    // Without the key service the type would be wrong, and with it every reason.
    if (error instanceof CannotOpen) return undefined;
    throw error;
  }
}

/** The event in the body of a request. Chat messages have none. */
function eventIn(request: Record<string, unknown> | undefined): FanoutEvent | undefined {
  const body = request?.['Body'];
  if (typeof body !== 'string') return undefined;
  try {
    return readEvent(JSON.stringify({ event: Buffer.from(body, 'base64').toString() }));
  } catch {
    return undefined;
  }
}
