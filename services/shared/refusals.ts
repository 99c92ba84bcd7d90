import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create } from '@bufbuild/protobuf';
import type { Log } from './log.ts';
import type { Database, EntityManager } from './orm.ts';
import { type Origin, type Refusal, recordRefusal } from './outbox.ts';

// The audit of calls that were refused or failed. Whoever calls can have as many of them as they like, also in the audit of a
// tenant that is none of theirs: what repeats itself is counted.

/** So many of a kind get an entry each before the rest of them is one entry, which says how many it stands for. */
const single = 10;
export const countedMs = 60_000;
/** Kinds that are counted at once: at some 500 bytes each, a few megabytes. */
const maxKinds = 10_000;

export type Refusals = ReturnType<typeof createRefusals>;

export function createRefusals(database: Database, log: Log) {
  let kinds = new Map<string, { times: number; origin: Origin; refusal: Refusal }>();

  const write = (origin: Origin, refusal: Refusal, times = 1) =>
    database.transaction(null, (em) => Promise.resolve(recordRefusal(em, origin, refusal, times)));

  /** Writes what was counted, and begins anew. */
  async function tell(): Promise<void> {
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
        log.error('refused calls could not be audited', { error, kinds: counted.length }),
      );
  }

  return {
    tell,

    /** Writes an entry, or counts it where there have been many of its `kind` within a minute. */
    async record(kind: string, origin: Origin, refusal: Refusal): Promise<void> {
      if (kinds.size >= maxKinds && !kinds.has(kind)) await tell();
      const times = (kinds.get(kind)?.times ?? 0) + 1;
      kinds.set(kind, { times, origin: onlyAudited(origin), refusal });
      if (times <= single) await write(origin, refusal);
    },
  };
}

// What a call carries besides may be large, and is kept for a minute here.
function onlyAudited({ operation, caller, permission = '' }: Origin): Origin {
  const { type, id, credentialId, ip, userAgent, requestId } = caller;
  return {
    operation: { name: operation.name },
    caller: create(CallerSchema, { type, id, credentialId, ip, userAgent, requestId }),
    permission,
  };
}
