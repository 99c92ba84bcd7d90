import { Buffer } from 'node:buffer';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Broker, BrokerMessage } from '@bailiwick/shared/broker.ts';
import { findEmail } from '@bailiwick/shared/email.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { publishTask } from '@bailiwick/shared/tasks.ts';
import type { Client } from '@connectrpc/connect';
import { messageOf } from '../chat/message.ts';
import { renderBody } from '../chat/render.ts';
import { reachOf } from '../events/catalogue.ts';
import type { DomainOwners } from './domain-owners.ts';
import { type FannedEvent, readEvent, wasThere, withheld } from './event.ts';
import { type Addressee, listAddressees } from './queries.ts';

export type FanoutDeps = {
  database: Database;
  broker: Broker;
  authority: Client<typeof Authority>;
  owners: DomainOwners;
  log: Log;
};

/** Makes one task of each event and endpoint that wants it. A repetition makes the same tasks, which the queue knows already. */
export function startFanout(deps: FanoutDeps): void {
  const options = {
    stream: 'EVT',
    durable: 'fanout',
    subject: 'evt.>',
    concurrency: 32,
    ackWaitMs: 10_000,
  } as const;
  deps.broker.consume(options, async (message) => {
    const event = eventOf(message, deps.log);
    if (event) await fanOut(deps, event);
    await message.ack();
  });
}

export async function fanOut(deps: FanoutDeps, event: FannedEvent): Promise<void> {
  for (const tenant of await tenantsOf(deps, event)) {
    const endpoints = await listAddressees(deps.database, tenant);
    const receivers = endpoints.filter(
      (endpoint) => withheld(event, endpoint) === undefined && wasThere(event, endpoint.createdAt),
    );
    await Promise.all(
      receivers.map((endpoint) => publishDelivery(deps.broker, event, tenant, endpoint)),
    );
  }
}

// What belongs to no tenant concerns nobody's endpoints, except people: their tenants want to know of them, and whose domain
// their address is in.
async function tenantsOf(
  { authority, owners }: FanoutDeps,
  { type, tenant, subject, email, left }: FannedEvent,
): Promise<string[]> {
  const reach = reachOf(type);
  if (reach === 'nobody') return [];
  if (tenant !== '') return [tenant];
  if (reach !== 'members' || subject === '') return [];
  const domain = findEmail(email)?.domain ?? '';
  const [own, owner] = await Promise.all([
    type === 'user.deleted'
      ? left
      : authority
          .listUserTenants({ userId: subject })
          .then(({ tenants }) => tenants.map(({ id }) => id)),
    domain === '' ? '' : owners.of(domain),
  ]);
  return [...new Set(owner === '' ? own : [...own, owner])];
}

// Webhooks get the event's own bytes, chat endpoints the message that their service shows.
function publishDelivery(
  broker: Broker,
  { id, type, text, timestamp }: FannedEvent,
  tenant: string,
  { id: endpoint, kind }: Addressee,
): Promise<void> {
  const body = kind === '' ? text : renderBody(kind, messageOf(text));
  const request = {
    Tenant: tenant,
    Endpoint: endpoint,
    Type: type,
    Body: Buffer.from(body).toString('base64'),
  };
  const operation = kind === '' ? 'Webhooks_Deliver' : 'Chat_Deliver';
  return publishTask(
    broker,
    { id: `${id}.${endpoint}`, operation, request, extra: {} },
    { tenant, event: id, enqueued: timestamp },
  );
}

function eventOf(message: BrokerMessage, log: Log): FannedEvent | undefined {
  try {
    return readEvent(message.text());
  } catch (error) {
    // It would be unreadable for ever: noted and let go of.
    log.error('a message of the event stream is no event', { subject: message.subject, error });
    return undefined;
  }
}
