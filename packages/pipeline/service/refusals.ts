import { serviceOrigin } from '@bailiwick/contract';
import { type RecordOrigin, type Refusal, recordRefusal } from '@bailiwick/outbox';
import type { Log } from '@bailiwick/process';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import type { Database } from '@bailiwick/store';
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
  type RefusalCount = { times: number; origin: RecordOrigin; refusal: Refusal };
  let kinds = new Map<string, RefusalCount>();
  // An entry is no change of the caller, whose right may have ended.
  const scope = { call: serviceOrigin(database.service), tenant: null };

  const write = (entries: readonly RefusalCount[]): Promise<void> =>
    database.transaction(scope, (tx) => {
      for (const { origin, refusal, times } of entries) recordRefusal(tx, origin, refusal, times);
      return Promise.resolve();
    });

  /** Writes the counted refusals and resets the counts. */
  async function flush(): Promise<void> {
    const counted = [...kinds.values()].filter(({ times }) => times > single);
    kinds = new Map();
    if (counted.length === 0) return;
    await write(counted.map((entry) => ({ ...entry, times: entry.times - single }))).catch(
      (error: unknown) =>
        log.error('auditing refused calls failed', { error, kinds: counted.length }),
    );
  }

  return {
    flush,

    /** Writes an entry, or counts it if there were many of its `kind` within a minute. */
    async record(kind: string, origin: RecordOrigin, refusal: Refusal): Promise<void> {
      if (kinds.size >= maxKinds && !kinds.has(kind)) await flush();
      const times = (kinds.get(kind)?.times ?? 0) + 1;
      kinds.set(kind, { times, origin: onlyAudited(origin), refusal });
      if (times <= single) await write([{ origin, refusal, times: 1 }]);
    },
  };
}

// Keeps only the audited fields: the rest of a call may be large, and this is kept for a minute.
function onlyAudited({ operation, caller, permission }: RecordOrigin): RecordOrigin {
  const { type, id, credentialId, ip, userAgent, requestId } = caller;
  return {
    operation: { name: operation.name },
    caller: create(CallerSchema, { type, id, credentialId, ip, userAgent, requestId }),
    permission,
  };
}
