import { type Origin, type Refusal, recordRefusal } from '@bailiwick/outbox';
import type { Log } from '@bailiwick/process';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import type { Database, EntityManager } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';

// The audit of denied and failed calls. A caller can cause any number of them, even in a foreign
// tenant's audit, so repetitions are counted instead of written.

/**
 * Entries of one kind that are written one by one. The rest becomes one entry with their number.
 */
const single = 10;
export const countedMs = 60_000;
/** Kinds counted at the same time: at about 500 bytes each, a few megabytes. */
const maxKinds = 10_000;

/** Writes refused calls to the audit, or counts them. */
export type Refusals = ReturnType<typeof createRefusals>;

/** Creates the audit of refused calls for one service. */
export function createRefusals(database: Database, log: Log) {
  let kinds = new Map<string, { times: number; origin: Origin; refusal: Refusal }>();

  const write = (origin: Origin, refusal: Refusal, times = 1) =>
    database.transaction(null, (em) => Promise.resolve(recordRefusal(em, origin, refusal, times)));

  /** Writes the counted refusals and resets the counts. */
  async function flush(): Promise<void> {
    const counted = [...kinds.values()].filter(({ times }) => times > single);
    kinds = new Map();
    if (counted.length === 0) return;
    const writeAll = (em: EntityManager) => {
      for (const { origin, refusal, times } of counted)
        recordRefusal(em, origin, refusal, times - single);
      return Promise.resolve();
    };
    await database
      .transaction(null, writeAll)
      .catch((error: unknown) =>
        log.error('auditing refused calls failed', { error, kinds: counted.length }),
      );
  }

  return {
    flush,

    /** Writes an entry, or counts it if there were many of its `kind` within a minute. */
    async record(kind: string, origin: Origin, refusal: Refusal): Promise<void> {
      if (kinds.size >= maxKinds && !kinds.has(kind)) await flush();
      const times = (kinds.get(kind)?.times ?? 0) + 1;
      kinds.set(kind, { times, origin: onlyAudited(origin), refusal });
      if (times <= single) await write(origin, refusal);
    },
  };
}

// Keeps only the audited fields: the rest of a call may be large, and this is kept for a minute.
function onlyAudited({ operation, caller, permission = '' }: Origin): Origin {
  const { type, id, credentialId, ip, userAgent, requestId } = caller;
  return {
    operation: { name: operation.name },
    caller: create(CallerSchema, { type, id, credentialId, ip, userAgent, requestId }),
    permission,
  };
}
