import { Buffer } from 'node:buffer';
import { timeOf } from '@bailiwick/contract';
import { failedPrecondition, notFound } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { DeliveryMessageSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/attempts_pb.ts';
import type { Database, Limiter, Transaction } from '@bailiwick/store';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { LockMode } from '@mikro-orm/core';
import type { Store } from '../queue/store.ts';
import { rowOf } from '../rows.ts';
import { attemptOf } from './attempts.ts';
import { attemptNow, findMessage, listAttemptsOfTask, resendMessage } from './queries.ts';
import { countTrial } from './trials.ts';

type MessageRequest = { tenant: string; id: string; messageId: string };
type ResendRequest = MessageRequest & { now: boolean };

type Deps = { database: Database; limiter: Limiter; store: Store; deliveryBodyHours: number };

/** The differences between webhook and chat endpoints. */
type Kind = {
  type: 'webhook_endpoint' | 'chat_endpoint';
  find: (database: Database, tenant: string, id: string) => Promise<unknown>;
  /** The stored endpoint, locked until the transaction ends. */
  lock: (
    tx: Transaction,
    key: { tenant: string; id: string },
    mode: LockMode,
  ) => Promise<{ name: string; active: boolean } | null>;
};

/** The handlers for sent messages of one kind of endpoint. */
export function messageHandlers(deps: Deps, kind: Kind) {
  return {
    getMessage: (request: MessageRequest) => getMessage(deps, kind, request),
    /** Audited, but no event: the endpoint has not changed. */
    resend: (request: ResendRequest, call: Call) => resend(deps, kind, request, call),
  };
}

async function getMessage(
  { database, store, deliveryBodyHours }: Deps,
  { find }: Kind,
  { tenant, id, messageId }: MessageRequest,
): Promise<{ message: MessageInitShape<typeof DeliveryMessageSchema> }> {
  if (!(await find(database, tenant, id))) throw notFound('endpoint');
  const key = { tenant, endpoint: id, delivery: messageId };
  const row = await findMessage(database, key, deliveryBodyHours);
  if (!row) throw notFound('message');
  const [request, attempts] = await Promise.all([
    store.openRequest(row),
    listAttemptsOfTask(database, tenant, row.task),
  ]);
  return {
    message: {
      id: row.delivery,
      tenant,
      endpoint: row.endpoint,
      event: row.event,
      eventType: row.type,
      createdAt: timeOf(row.createdAt),
      body: Buffer.from(String(request['Body']), 'base64'),
      status: attempts.at(-1)?.status ?? '',
      attempts: attempts.map(attemptOf),
    },
  };
}

async function resend(
  { database, limiter, deliveryBodyHours }: Deps,
  { type, lock }: Kind,
  { tenant, id, messageId, now }: ResendRequest,
  call: Call,
): Promise<{ queued: boolean }> {
  if (now) await countTrial(limiter, tenant, id);
  const turn = { tenant, row: rowOf.endpoint(tenant, id) };
  const queued = await database.transaction({ call, ...turn }, async (tx) => {
    const endpoint = await lock(tx, { tenant, id }, LockMode.PESSIMISTIC_READ);
    if (!endpoint) throw notFound('endpoint');
    if (!endpoint.active) throw failedPrecondition('the endpoint is inactive', 'ENDPOINT_INACTIVE');
    const key = { tenant, endpoint: id, delivery: messageId };
    const isQueued =
      (now ? await attemptNow(tx, key) : undefined) ??
      (await resendMessage(tx, key, deliveryBodyHours));
    if (isQueued === undefined) throw notFound('message');
    if (isQueued)
      record(tx, {
        tenant,
        type: `${type}.message_resent`,
        data: null,
        targets: [{ Type: type, ID: id, Name: endpoint.name }],
      });
    return isQueued;
  });
  return { queued };
}
