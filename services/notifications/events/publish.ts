import { type Limit, type LimitProfile, perMinute, unlimited } from '@bailiwick/contract';
import { createRecorder, type Handover, record } from '@bailiwick/outbox';
import type { Checks, Handlers } from '@bailiwick/pipeline';
import type { Events } from '@bailiwick/proto/gen/bailiwick/notifications/v1/events_pb.ts';
import { type Database, type Limiter, lockName, type Transaction } from '@bailiwick/store';
import { rowOf } from '../rows.ts';
import { PublishedEventEntity } from './entities.ts';

/** How long an application's id deduplicates an event. */
export const nameSeconds = 600;

/**
 * The limit for all applications of a tenant together. Each event becomes a task per subscribed
 * endpoint.
 */
const limits: Record<LimitProfile, Limit> = {
  standard: perMinute(6000),
  strict: perMinute(600),
  off: unlimited,
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type Deps = { database: Database; handover: Handover; limiter: Limiter; profile: LimitProfile };

export const eventsChecks: Checks<typeof Events> = {
  publish: ({ body }) =>
    body.length === 0 || isObject(body) ? [] : ['Body must be a JSON object in UTF-8'],
};

function isObject(body: Uint8Array): boolean {
  try {
    const json: unknown = JSON.parse(utf8.decode(body));
    return typeof json === 'object' && json !== null && !Array.isArray(json);
  } catch {
    // One message covers every defect: it says what the body must be.
    return false;
  }
}

export function eventsHandlers({
  database,
  handover,
  limiter,
  profile,
}: Deps): Handlers<typeof Events> {
  const recordAlone = createRecorder(database, handover);
  return {
    async publish({ tenant, type, body, id }, call) {
      const payload = utf8.decode(body);
      await limiter.take(`publish ${tenant}`, limits[profile]);
      const change = {
        tenant,
        type,
        data: payload,
        targets: [{ Type: 'event', ID: id, Name: type }],
      };
      if (id === '') return { id: await recordAlone(call, change) };
      const event = await database.transaction(
        { call, tenant, row: rowOf.event(tenant, id) },
        (tx) => publishOnce(tx, tenant, `${call.caller.id} ${id}`, () => record(tx, change)),
      );
      return { id: event };
    },
  };
}

/**
 * Publishes unless an event was published under this id a short while ago. The second of two
 * concurrent calls returns the event of the first.
 */
async function publishOnce(
  tx: Transaction,
  tenant: string,
  id: string,
  publish: () => string,
): Promise<string> {
  await lockName(tx, rowOf.published(tenant, id));
  const stored = await tx.em.findOne(PublishedEventEntity, { tenant, id });
  const now = new Date();
  if (stored && now.getTime() - stored.publishedAt.getTime() < nameSeconds * 1000)
    return stored.event;
  const event = publish();
  if (stored) tx.em.assign(stored, { event, publishedAt: now });
  else tx.em.persist(tx.em.create(PublishedEventEntity, { tenant, id, event, publishedAt: now }));
  return event;
}
