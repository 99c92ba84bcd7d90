import { Buffer } from 'node:buffer';
import { type Broker, type BrokerMessage } from '@bailiwick/broker';
import { createBatch, findEmail, serviceOrigin } from '@bailiwick/contract';
import { firstPublicationHeader, publishTask, tasksMadeHeader } from '@bailiwick/outbox';
import type { Log } from '@bailiwick/process';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { messageOf } from '../chat/message.ts';
import { renderBody } from '../chat/render.ts';
import { reachOf } from '../events/catalogue.ts';
import { type AttemptRow, settleAsDone } from '../queue/queries.ts';
import { dropped } from '../sending/delivery-outcome.ts';
import type { DomainOwners } from './domain-owners.ts';
import { type FanoutEvent, missReason, readEvent } from './event.ts';
import type { LaneQuotas } from './lane-quotas.ts';
import { type FanoutEndpoint, findSubscribedTypes, listFanoutEndpoints } from './queries.ts';

export type FanoutDeps = {
  findEndpoints: FindEndpoints;
  wants: Wants;
  noteUnsent: RecordUnsent;
  broker: Broker;
  quotas: LaneQuotas;
  authority: PeerClient<typeof Authority>;
  owners: DomainOwners;
  log: Log;
};

const byService = serviceOrigin('notifications');

/** The endpoints of a tenant. */
type FindEndpoints = (tenant: string) => Promise<FanoutEndpoint[]>;

/** Looks up endpoints, batching the events that are handled at the same time. */
export const endpointFinder = (database: Database): FindEndpoints =>
  createBatch((tenants: readonly string[]) => listFanoutEndpoints(database, tenants), {
    atOnce: 1,
    restMs: 2,
  });

/** Whether any endpoint of any tenant wants events of a type. */
type Wants = (type: string) => Promise<boolean>;

/**
 * Asks once for the events that are handled at the same time. The answer is not kept: an endpoint
 * must get every event after the call that created it.
 */
export const wantsFinder = (database: Database): Wants =>
  createBatch(async (types: readonly string[]) => {
    const subscriptions = await findSubscribedTypes(database, new Set(types));
    return types.map((type) => subscriptions.has(type));
  });

/** Records that an inactive endpoint does not get an event. */
export type RecordUnsent = (row: AttemptRow) => Promise<AttemptRow>;

/** Writes the rows of the events that are handled at the same time together. */
export const unsentRecorder = (database: Database): RecordUnsent =>
  createBatch(async (rows: readonly AttemptRow[]) => {
    await settleAsDone(database, byService, rows);
    return rows;
  });

/**
 * Makes one task per event and subscribed endpoint. A redelivered event makes the same tasks, which
 * the broker drops as duplicates.
 */
export function startFanout(deps: FanoutDeps): void {
  const options = {
    stream: 'EVT',
    durable: 'fanout',
    subject: 'evt.>',
    concurrency: 128,
    ackWaitMs: 10_000,
  } as const;
  deps.broker.consume(options, async (message) => {
    if (message.header(tasksMadeHeader) !== '') return message.ack();
    const event = eventOf(message, deps.log);
    const isFirst = message.newSince !== undefined && message.header(firstPublicationHeader) !== '';
    if (event) await fanOut(deps, event, isFirst);
    message.ack();
  });
}

/** `isFirst`: whether no task of the event has been made before. */
export async function fanOut(deps: FanoutDeps, event: FanoutEvent, isFirst = false): Promise<void> {
  for (const tenant of await tenantsOf(deps, event)) {
    const endpoints = await deps.findEndpoints(tenant);
    await deliverTo(deps, { event, tenant, isFirst }, receiversOf(event, endpoints));
  }
}

/** The endpoints that an event is for, also inactive ones. */
export const receiversOf = (
  event: FanoutEvent,
  endpoints: readonly FanoutEndpoint[],
): FanoutEndpoint[] =>
  endpoints.filter((endpoint) => {
    const reason = missReason(event, endpoint);
    return reason === undefined || reason === 'inactive';
  });

export type DeliverDeps = Pick<FanoutDeps, 'broker' | 'quotas' | 'noteUnsent'>;

/**
 * An event for the endpoints of a tenant. `isFirst`: whether no task of it has been made before.
 */
type TenantEvent = { event: FanoutEvent; tenant: string; isFirst: boolean };

/** Publishes one task per endpoint, and records for inactive ones that they do not get the event. */
export async function deliverTo(
  deps: DeliverDeps,
  delivery: TenantEvent,
  receivers: readonly FanoutEndpoint[],
): Promise<void> {
  await Promise.all(
    receivers.map((endpoint) =>
      endpoint.active
        ? publishDelivery(deps, delivery, endpoint)
        : deps.noteUnsent(unsentRow(delivery, endpoint)),
    ),
  );
}

// Events without a tenant reach no endpoint, except events about users: they go to the user's
// tenants and to the tenant that verified the domain of the address.
async function tenantsOf(
  { authority, owners, wants }: FanoutDeps,
  { type, tenant, subject, email, formerTenants }: FanoutEvent,
): Promise<string[]> {
  const reach = reachOf(type);
  if (reach === 'none') return [];
  if (tenant !== '') return [tenant];
  if (reach !== 'members' || subject === '' || !(await wants(type))) return [];
  const domain = findEmail(email)?.domain ?? '';
  const [own, owner] = await Promise.all([
    type === 'user.deleted'
      ? formerTenants
      : authority
          .listUserTenants({ userId: subject }, byService)
          .then(({ tenants }) => tenants.map(({ id }) => id)),
    domain === '' ? '' : owners.of(domain),
  ]);
  return [...new Set(owner === '' ? own : [...own, owner])];
}

/** The id of the task of an event at an endpoint. */
const taskOf = (event: string, endpoint: string): string => `${event}.${endpoint}`;

/** The attempt that an inactive endpoint's list shows instead of a delivery. */
function unsentRow(
  { event: { id: event, type }, tenant }: TenantEvent,
  { id: endpoint, kind }: FanoutEndpoint,
): AttemptRow {
  const { status, statusCode, error } = dropped('endpoint_inactive');
  return {
    task: taskOf(event, endpoint),
    attempt: 1,
    operation: operationFor(kind),
    tenant,
    endpoint,
    event,
    type,
    delivery: event,
    status,
    statusCode,
    error,
    message: 'not sent: the endpoint is inactive',
    durationMs: 0,
    startedAt: new Date(),
    nextAttemptAt: null,
  };
}

const operationFor = (kind: FanoutEndpoint['kind']) =>
  kind === '' ? 'Webhooks_Deliver' : 'Chat_Deliver';

// Webhooks get the event's exact bytes, chat endpoints a message in their service's format.
function publishDelivery(
  { broker, quotas }: DeliverDeps,
  { event: { id, type, text, timestamp }, tenant, isFirst }: TenantEvent,
  { id: endpoint, kind }: FanoutEndpoint,
): Promise<void> {
  const body = kind === '' ? text : renderBody(kind, messageOf(text));
  const request = {
    Tenant: tenant,
    Endpoint: endpoint,
    Type: type,
    Body: Buffer.from(body).toString('base64'),
  };
  return publishTask(
    broker,
    { id: taskOf(id, endpoint), operation: operationFor(kind), request, extra: {} },
    {
      tenant,
      event: id,
      enqueued: timestamp,
      lane: quotas.laneOf(tenant),
      isFirstPublication: isFirst,
    },
  );
}

function eventOf(message: BrokerMessage, log: Log): FanoutEvent | undefined {
  try {
    return readEvent(message.text());
  } catch (error) {
    // It would stay unreadable, so it is logged and skipped.
    log.error('reading a message of the event stream failed, skipped', {
      subject: message.subject,
      error,
    });
    return undefined;
  }
}
