import { createHash } from 'node:crypto';
import { type Broker } from '@bailiwick/broker';
import { idFromHash } from '@bailiwick/contract';
import { type FollowedEvent, followEvents, noticeTask, publishTask } from '@bailiwick/outbox';
import type { Background } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { findUsers } from '../users/queries.ts';

// Mails to the owners of a tenant, and to new ones. identity knows their addresses and languages, access knows which
// users own the tenant.

type Deps = {
  database: Database;
  broker: Broker;
  authority: PeerClient<typeof Authority>;
  log: Log;
};

/** At most this many owners get a mail. */
const maxOwners = 10;

const notices: ReadonlyMap<string, string> = new Map([
  ['webhook_endpoint.failing', 'endpoint_failing'],
  ['webhook_endpoint.disabled', 'endpoint_disabled'],
  ['chat_endpoint.failing', 'endpoint_failing'],
  ['chat_endpoint.disabled', 'endpoint_disabled'],
  ['bot_key.expiring', 'key_expiring'],
  ['sso.requirement_lifted', 'sso_lifted'],
  ['sso.recovery_codes_created', 'sso_codes_created'],
  ['sso.certificate_announced', 'certificate_announced'],
  ['sso.certificates_changed', 'certificates_changed'],
  ['sso.certificate_expiring', 'certificate_expiring'],
  ['tenant.holder_ended', 'holder_ended'],
  ['tenant.owner_kept', 'owner_kept'],
]);

/** Notices that depend on the event's record: a lift by a recovery code names its owner. */
function kindOf(type: string, record: Record<string, unknown>): string | undefined {
  if (type === 'sso.requirement_lifted' && (record['UserID'] ?? '') !== '') return 'sso_recovered';
  const waits = type === 'sso.certificate_announced' && countsFrom(record) === undefined;
  return waits ? 'certificate_waiting' : notices.get(type);
}

/** When the first announced certificate of a provider counts; undefined if all wait. */
function countsFrom({ PendingCertificates }: Record<string, unknown>): string | undefined {
  if (!Array.isArray(PendingCertificates)) return undefined;
  const times = (PendingCertificates as unknown[]).flatMap((one) => {
    const { CountsAt } = one as { CountsAt?: unknown };
    return typeof CountsAt === 'string' ? [CountsAt] : [];
  });
  return times.toSorted()[0];
}

/**
 * A consumer of all events of tenants would also get each new member. Another type of the family needs
 * another name (decision 30).
 */
const ofTenants = { durable: 'identity-tenant-notices', replaces: 'identity-owners-tenant' };

/**
 * Mails a tenant's owners when an endpoint fails or is disabled, when a key is about to expire, when
 * the SSO requirement is lifted or gets recovery codes, when certificates of a provider change or
 * expire, and when a directory takes more than it could give.
 */
export function followOwnerNotices(deps: Deps): Background {
  return () => {
    for (const family of ['webhook_endpoint', 'chat_endpoint', 'bot_key', 'sso', 'tenant']) {
      const types = [...notices.keys()].filter((type) => type.startsWith(`${family}.`));
      followEvents(deps, {
        ...(family === 'tenant' ? ofTenants : { durable: `identity-owners-${family}` }),
        subject: `evt.*.${family}.>`,
        types,
        handle: (event) => notifyOwners(deps, event),
      });
    }
    followEvents(deps, {
      durable: 'identity-owners-grant',
      subject: 'evt.*.grant.>',
      types: ['grant.added'],
      handle: (event) => notifyNewOwner(deps, event),
    });
    // Closing the broker waits for messages in progress.
    return () => Promise.resolve();
  };
}

/**
 * Publishes one task per owner and stores nothing. The event is acknowledged once the broker has
 * all tasks. A redelivery makes tasks with the same ids, which the queue deduplicates.
 */
async function notifyOwners(
  { database, broker, authority }: Deps,
  { id, type, tenant, data, origin }: FollowedEvent,
): Promise<void> {
  const kind = kindOf(type, data);
  if (kind === undefined || tenant === '') return;
  const { tenantName, userIds } = await authority.listOwners({ tenant, limit: maxOwners }, origin);
  const details = { ...detailsOf(data), ...(await personIn(database, data)) };
  const owners = (await findUsers(database, userIds)).filter(({ status }) => status === 'active');
  for (const { id: userId, email, locale } of owners) {
    const task = {
      ...noticeTask(kind, email, { locale, tenant, tenantName, ...details }),
      id: taskId(id, userId),
    };
    await publishTask(broker, task, { tenant, event: id });
  }
}

/** Mails a user whom another caller has made an owner: the user can accept or decline that. */
async function notifyNewOwner(
  { database, broker, authority }: Deps,
  { id, tenant, data, origin }: FollowedEvent,
): Promise<void> {
  const { UserID, Role, Resource } = data;
  if (tenant === '' || Role !== 'owner' || Resource !== '' || typeof UserID !== 'string') return;
  // The creator of a tenant knows its owner.
  if (origin.caller.id === UserID || origin.operation.name === 'Tenants_Create') return;
  // Nothing is mailed about a grant that has ended meanwhile.
  const { tenantName, userIds } = await authority.listOwners(
    { tenant, limit: 1, userId: UserID },
    origin,
  );
  const [user] = await findUsers(database, userIds);
  if (user?.status !== 'active') return;
  const { email, locale } = user;
  const task = {
    ...noticeTask('ownership_given', email, { locale, tenant, tenantName }),
    id: taskId(id, UserID),
  };
  await publishTask(broker, task, { tenant, event: id });
}

/**
 * The record's name, or its id if it has none, and its end date if it has one. Never an address or
 * a secret.
 */
function detailsOf(record: Record<string, unknown>): Record<string, string> {
  const { ID, Name, ExpiresAt, Until, CertificatesExpireAt } = record;
  const name =
    [Name, ID].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
  const date = ExpiresAt ?? Until ?? CertificatesExpireAt;
  const time = countsFrom(record);
  return { name, ...(typeof date === 'string' && { date }), ...(time !== undefined && { time }) };
}

/** The name of the user that an event is about, or the local part of the address. */
async function personIn(
  database: Database,
  { UserID }: Record<string, unknown>,
): Promise<{ name?: string }> {
  if (typeof UserID !== 'string' || UserID === '') return {};
  const [user] = await findUsers(database, [UserID]);
  return { name: user ? user.name || user.email.slice(0, user.email.lastIndexOf('@')) : UserID };
}

const taskId = (event: string, userId: string): string =>
  idFromHash('tsk', createHash('sha256').update(`${event} ${userId}`).digest());
