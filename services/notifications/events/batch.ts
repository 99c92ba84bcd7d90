import { findProblems, type Origin } from '@bailiwick/contract';
import { errorRecord, invalid, type ServiceError } from '@bailiwick/errors';
import type { Handover, InsertRows } from '@bailiwick/outbox';
import type { Handlers } from '@bailiwick/pipeline';
import {
  type ApplicationEvent,
  type ApplicationEventResultSchema,
  ApplicationEventSchema,
  type Events,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/events_pb.ts';
import type { Database } from '@bailiwick/store';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { bodyProblems, textOf } from './body.ts';
import { recordEvents } from './record.ts';

// Events_PublishBatch: many events with one statement for the limit, and one transaction.

/** An event of a batch. `published`: the event's id, "" = it is refused or not published yet. */
type Entry = { input: ApplicationEvent; refusal: ServiceError | undefined; published: string };

type Deps = {
  database: Database;
  handover: Handover;
  insert: InsertRows;
  /** Counts events against the tenant's limit: only the first ones may be allowed. */
  take: (tenant: string, events: number) => Promise<{ allowed: number; refusal: ServiceError }>;
};

export function publishBatchHandler({
  database,
  handover,
  insert,
  take,
}: Deps): Pick<Handlers<typeof Events>, 'publishBatch'> {
  async function publish(call: Origin, tenant: string, entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const events = entries.map(({ input: { type, body, id } }) => ({
      type,
      body: textOf(body),
      id,
    }));
    const { ids, rows } = await database.transaction({ call, tenant }, (tx) =>
      recordEvents(tx, tenant, events, insert),
    );
    handover.add(rows);
    for (const [index, entry] of entries.entries()) entry.published = ids[index] ?? '';
  }

  return {
    async publishBatch({ tenant, events }, call) {
      const entries = events.map(
        (input): Entry => ({ input, refusal: refusalOf(input), published: '' }),
      );
      const valid = entries.filter(({ refusal }) => refusal === undefined);
      if (valid.length > 0) {
        const { allowed, refusal } = await take(tenant, valid.length);
        // As an error of the call, it is not stored under the Idempotency-Key.
        if (allowed === 0 && valid.length === entries.length) throw refusal;
        for (const entry of valid.slice(allowed)) entry.refusal = refusal;
        await publish(call, tenant, valid.slice(0, allowed));
      }
      return { results: entries.map(resultOf) };
    },
  };
}

function refusalOf(event: ApplicationEvent): ServiceError | undefined {
  const problems = [...findProblems(ApplicationEventSchema, event), ...bodyProblems(event.body)];
  return problems.length > 0 ? invalid(problems) : undefined;
}

const resultOf = ({
  refusal,
  published,
}: Entry): MessageInitShape<typeof ApplicationEventResultSchema> => ({
  id: published,
  ...(refusal ? errorRecord(refusal) : { params: {} }),
  retryAfterSeconds: refusal?.retryAfter ?? 0,
});
