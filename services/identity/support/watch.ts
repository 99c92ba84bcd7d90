import { type Broker, followRevocations, type RightsKey } from '@bailiwick/broker';
import { createBatch } from '@bailiwick/contract';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { listOpenSupport, listSupportOn, type OpenSupport } from '../sessions/support/queries.ts';
import { type EndDeps, endIfDue } from './ends.ts';

// Ends support sessions whose time, operator or tenant has ended: soon after rights were revoked, and
// all others by looking. A call with such a session fails before, and ends it too.

type Deps = EndDeps & { broker: Broker; log: Log };

const everyMs = 15_000;
/** Signals that follow each other, as of the new members of a directory, share a look-up. */
const signalRestMs = 10;
const failed = 'looking for ended support sessions failed, retrying';

/** Stores the ends of support sessions that follow from something else. */
export const watchSupport = (deps: Deps): Background[] => [
  repeat({
    everyMs,
    log: deps.log,
    failed,
    work: async () => endDue(deps, await listOpenSupport(deps.database)),
  }),
  followSignals(deps),
];

async function endDue(deps: Deps, sessions: readonly OpenSupport[]): Promise<void> {
  for (const session of sessions) await endIfDue(deps, session);
}

function followSignals(deps: Deps): Background {
  return () => {
    const check = createBatch(
      async (revocations: ReadonlyArray<readonly RightsKey[]>) => {
        await endOf(deps, revocations.flat());
        return revocations;
      },
      { atOnce: 2, restMs: signalRestMs },
    );
    let isStopped = false;
    const running = new Set<Promise<unknown>>();
    followRevocations(deps.broker, (keys) => {
      if (isStopped) return;
      const work: Promise<unknown> = check(keys)
        .catch((error: unknown) => deps.log.warn(failed, { error }))
        .finally(() => running.delete(work));
      running.add(work);
    });
    return async () => {
      isStopped = true;
      await Promise.all(running);
    };
  };
}

async function endOf(deps: Deps, keys: readonly RightsKey[]): Promise<void> {
  const idsOf = (kind: string) =>
    keys.filter((key) => key.startsWith(`${kind}:`)).map((key) => key.slice(kind.length + 1));
  const on = { users: idsOf('user'), sessions: idsOf('credential'), tenants: idsOf('tenant') };
  if (Object.values(on).every((ids) => ids.length === 0)) return;
  await endDue(deps, await listSupportOn(deps.database, on));
}
