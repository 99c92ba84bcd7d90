import type { Events } from '@bailiwick/proto/gen/bailiwick/notifications/v1/events_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { invalid } from '@bailiwick/shared/errors.ts';
import { type Limit, type Limiter, type LimitProfile, perMinute } from '@bailiwick/shared/limits.ts';
import { type Database, type EntityManager, lockName } from '@bailiwick/shared/orm.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import { PublishedEventEntity } from './entities.ts';

/** For so long a name that an application gives an event stands for that one event. */
export const nameSeconds = 600;

/** Of all applications of a tenant together. Each event becomes a task for every endpoint that asks for it. */
const limits: Record<LimitProfile, Limit> = { standard: perMinute(6000), strict: perMinute(600), off: perMinute(Number.MAX_SAFE_INTEGER) };

type Deps = { database: Database; limiter: Limiter; profile: LimitProfile };

export function eventsHandlers({ database, limiter, profile }: Deps): Handlers<typeof Events> {
  return {
    async publish({ tenant, type, body, id }, call) {
      const data = objectText(body);
      await limiter.take(`publish ${tenant}`, limits[profile]);
      const targets = [{ Type: 'event', ID: id, Name: type }];
      const publish = (em: EntityManager) => recordChange(em, call, { tenant, type, data, targets });
      return {
        id: await database.transaction(tenant, (em) =>
          id === '' ? Promise.resolve(publish(em)) : publishOnce(em, tenant, `${call.caller.id} ${id}`, publish),
        ),
      };
    },
  };
}

/** Publishes what was not published under this name a short while ago. Of two calls at once the second one finds the first. */
async function publishOnce(em: EntityManager, tenant: string, id: string, publish: (em: EntityManager) => string): Promise<string> {
  await lockName(em, `published_event ${tenant} ${id}`);
  const known = await em.findOne(PublishedEventEntity, { tenant, id });
  const now = new Date();
  if (known && now.getTime() - known.publishedAt.getTime() < nameSeconds * 1000) return known.event;
  const event = publish(em);
  if (known) em.assign(known, { event, publishedAt: now });
  else em.persist(em.create(PublishedEventEntity, { tenant, id, event, publishedAt: now }));
  return event;
}

/** The text of a JSON object. Throws invalid_argument for anything else. */
function objectText(body: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return text;
  } catch {
    // Whatever is wrong with it, one sentence says what it has to be.
  }
  throw invalid('Body must be a JSON object in UTF-8', 'NOT_AN_OBJECT');
}
