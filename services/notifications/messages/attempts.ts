import { timeOf } from '@bailiwick/contract';
import type { Call, Pager } from '@bailiwick/pipeline';
import type { PageReq } from '@bailiwick/proto/gen/bailiwick/common/v1/page_pb.ts';
import type {
  DeliveryAttemptPageSchema,
  DeliveryAttemptSchema,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/attempts_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { type AttemptFilter, type ListedAttempt, listAttempts } from './queries.ts';

type AttemptsRequest = {
  tenant: string;
  endpoint: string;
  outcome: string;
  eventType: string;
  since?: Timestamp | undefined;
  until?: Timestamp | undefined;
  latest?: boolean;
  page?: PageReq | undefined;
};

/** The ListAttempts handler of one API area, for the endpoints with this id prefix. */
export function attemptsHandler(pager: Pager, prefix: 'whk' | 'slk' | 'app') {
  return async (
    request: AttemptsRequest,
    { operation, reader }: Call,
  ): Promise<{ page: MessageInitShape<typeof DeliveryAttemptPageSchema> }> => {
    const { tenant, page } = request;
    const filter = filterOf(request, prefix);
    const binding = [operation.name, tenant, JSON.stringify(filter)];
    const query = pager.read(page, binding);
    const rows = await listAttempts(reader, tenant, filter, {
      limit: query.limit,
      after: placeOf(query.after),
    });
    const { items, nextCursor } = pager.cut(
      rows,
      query,
      binding,
      ({ startedAt, attempt, task }) => `${new Date(startedAt).toISOString()} ${attempt} ${task}`,
    );
    return { page: { items: items.map(attemptOf), nextCursor } };
  };
}

function filterOf(
  { endpoint, outcome, eventType, since, until, latest }: AttemptsRequest,
  prefix: string,
): AttemptFilter {
  return {
    prefix: `${prefix}_`,
    endpoint: endpoint || null,
    status: outcome || null,
    type: eventType || null,
    since: since ? timestampDate(since) : null,
    until: until ? timestampDate(until) : null,
    // Absent if not sent, so that cursors from before this field stay valid.
    ...(latest && { latest }),
  };
}

function placeOf(after: string): { startedAt: string; attempt: number; task: string } | undefined {
  const [startedAt = '', attempt = '', task = ''] = after.split(' ');
  return after === '' ? undefined : { startedAt, attempt: Number(attempt), task };
}

export function attemptOf(row: ListedAttempt): MessageInitShape<typeof DeliveryAttemptSchema> {
  return {
    id: row.delivery,
    tenant: row.tenant,
    endpoint: row.endpoint,
    event: row.event,
    eventType: row.type,
    attempt: row.attempt,
    status: row.status,
    statusCode: row.statusCode,
    error: row.error,
    message: row.message,
    durationMs: row.durationMs,
    startedAt: timeOf(row.startedAt),
    ...(row.nextAttemptAt ? { nextAttemptAt: timeOf(row.nextAttemptAt) } : {}),
  };
}
