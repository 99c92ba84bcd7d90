import { createHash } from 'node:crypto';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Broker } from '@bailiwick/shared/broker.ts';
import { type FollowedEvent, followEvents } from '@bailiwick/shared/events.ts';
import { idFromHash } from '@bailiwick/shared/ids.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { noticeTask, publishTask } from '@bailiwick/shared/tasks.ts';
import type { Client } from '@connectrpc/connect';
import { findUsers } from '../users/queries.ts';

// What the owners of a tenant are mailed about: identity knows who they are and which language they read, access which of
// its users own the tenant.

type Deps = { database: Database; broker: Broker; authority: Client<typeof Authority>; log: Log };

/** However many own a tenant, so many are told. */
const maxOwners = 10;

/** Events and the notice that tells of them. */
const notices: ReadonlyMap<string, string> = new Map([
  ['webhook_endpoint.failing', 'endpoint_failing'],
  ['webhook_endpoint.disabled', 'endpoint_disabled'],
  ['chat_endpoint.failing', 'endpoint_failing'],
  ['chat_endpoint.disabled', 'endpoint_disabled'],
  ['bot_key.expiring', 'key_expiring'],
  ['sso.requirement_lifted', 'sso_lifted'],
]);

/** Mails a tenant's owners when an endpoint of it fails or is switched off, and when a key is about to expire, and when single sign-on is lifted. */
export function followOwnersMatters(deps: Deps): Background {
  return () => {
    for (const family of ['webhook_endpoint', 'chat_endpoint', 'bot_key', 'sso']) {
      const types = [...notices.keys()].filter((type) => type.startsWith(`${family}.`));
      followEvents(deps, {
        durable: `identity-owners-${family}`,
        subject: `evt.*.${family}.>`,
        types,
        handle: (event) => tellOwners(deps, event),
      });
    }
    // Closing the broker waits for what is in hand.
    return () => Promise.resolve();
  };
}

/**
 * One task for each owner. Nothing is stored here: the event is acknowledged once the broker has them all, and a
 * repetition makes the same tasks, which the queue knows already.
 */
async function tellOwners(
  { database, broker, authority }: Deps,
  { id, type, tenant, data }: FollowedEvent,
): Promise<void> {
  const kind = notices.get(type);
  if (kind === undefined || tenant === '') return;
  const { tenantName, userIds } = await authority.listOwners({ tenant, limit: maxOwners });
  const owners = (await findUsers(database, userIds)).filter(({ status }) => status === 'active');
  for (const { id: userId, email, locale } of owners) {
    const task = {
      ...noticeTask(kind, email, { locale, tenantName, ...detailsOf(data) }),
      id: taskId(id, userId),
    };
    await publishTask(broker, task, { tenant, event: id });
  }
}

/** The record's name, or the id of one without, and until when it is so where the record says that; never an address or a secret. */
function detailsOf({
  ID,
  Name,
  ExpiresAt,
  Until,
}: Record<string, unknown>): Record<string, string> {
  const name =
    [Name, ID].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
  const date = ExpiresAt ?? Until;
  return { name, ...(typeof date === 'string' ? { date } : {}) };
}

const taskId = (event: string, userId: string): string =>
  idFromHash('tsk', createHash('sha256').update(`${event} ${userId}`).digest());
