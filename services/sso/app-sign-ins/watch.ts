import { type Broker, followRevocations, type RightsKey } from '@bailiwick/broker';
import { createBatch, serviceOrigin } from '@bailiwick/contract';
import { followEvents, recordRevocation } from '@bailiwick/outbox';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { endSignIns } from './end.ts';
import {
  listSessions,
  listSessionsOf,
  removeConsentsOfUser,
  takeOfMember,
  takeOfSessions,
} from './queries.ts';

// Apps are signed out when the session ends that they got tokens from. Sessions end in many ways,
// and some by time alone, so that identity is asked which ones are left: about those of a user as
// soon as rights of the user were revoked, and about all of them each half minute. The second finds
// what a lost signal, a stopped process or an older version of identity left behind.

type Deps = {
  database: Database;
  credentials: Pick<PeerClient<typeof Credentials>, 'findLive'>;
  broker: Broker;
  log: Log;
};

const byService = serviceOrigin('sso');

const everyMs = 30_000;
/** The look at all sessions takes at most a fifth of the time, however many there are. */
const restFactor = 4;
/** Signals that follow each other, as of the new members of a directory, share a look-up. */
const signalRestMs = 10;
const batch = 500;

/** Ends the sign-ins to apps whose session or membership has ended. */
export const watchSessions = (deps: Deps): Background[] => [
  repeat({
    everyMs,
    log: deps.log,
    failed: 'looking for ended sessions failed, retrying',
    work: (isStopped) => checkAll(deps, isStopped),
    restFactor,
  }),
  followSignals(deps),
  followMembers(deps),
  followDeletedUsers(deps),
];

async function checkAll(deps: Deps, isStopped: () => boolean): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined && !isStopped()) {
    const ids: string[] = await listSessions(deps.database, after, batch);
    await endAmong(deps, ids);
    after = ids.length === batch ? ids.at(-1) : undefined;
  }
}

/** Ends the sign-ins of those sessions that have ended. */
async function endAmong(
  { database, credentials }: Deps,
  sessionIds: readonly string[],
): Promise<void> {
  if (sessionIds.length === 0) return;
  const live = new Set(
    (await credentials.findLive({ sessionIds: [...sessionIds] }, byService)).sessionIds,
  );
  const ended = sessionIds.filter((id) => !live.has(id));
  if (ended.length === 0) return;
  await database.transaction({ call: byService, tenant: null }, async (tx) =>
    endSignIns(tx, await takeOfSessions(tx, ended)),
  );
}

function followSignals(deps: Deps): Background {
  return () => {
    const check = createBatch(
      async (revocations: ReadonlyArray<readonly RightsKey[]>) => {
        await checkKeys(deps, revocations.flat());
        return revocations;
      },
      { atOnce: 2, restMs: signalRestMs },
    );
    let isStopped = false;
    const running = new Set<Promise<unknown>>();
    followRevocations(deps.broker, (keys) => {
      if (isStopped) return;
      const work: Promise<unknown> = check(keys)
        .catch((error: unknown) =>
          deps.log.warn('looking for ended sessions failed, retrying', { error }),
        )
        .finally(() => running.delete(work));
      running.add(work);
    });
    return async () => {
      isStopped = true;
      await Promise.all(running);
    };
  };
}

async function checkKeys(deps: Deps, keys: readonly RightsKey[]): Promise<void> {
  const idsOf = (kind: string) =>
    keys.filter((key) => key.startsWith(`${kind}:`)).map((key) => key.slice(kind.length + 1));
  const [sessionIds, userIds] = [idsOf('credential'), idsOf('user')];
  if (sessionIds.length + userIds.length === 0) return;
  await endAmong(deps, await listSessionsOf(deps.database, sessionIds, userIds));
}

/** A member who was removed or disabled keeps the session, and is signed out of the apps. */
function followMembers({ database, broker, log }: Deps): Background {
  return () => {
    followEvents(
      { broker, log },
      {
        durable: 'sso-app-members',
        subject: 'evt.*.tenant.*',
        types: ['tenant.member_removed', 'tenant.member_disabled'],
        async handle({ tenant, data: { UserID: userId }, origin }) {
          if (typeof userId !== 'string' || tenant === '') return;
          await database.transaction({ call: origin, tenant: null }, async (tx) => {
            const signIns = await takeOfMember(tx, tenant, userId);
            // No event of sso: the user may be a member again, whose rights access has not revoked.
            recordRevocation(
              tx,
              signIns.map(({ app }): RightsKey => `use:${userId}:${app}`),
            );
            await endSignIns(tx, signIns);
          });
        },
      },
    );
    // Closing the broker connection waits for running handlers.
    return () => Promise.resolve();
  };
}

function followDeletedUsers({ database, broker, log }: Deps): Background {
  return () => {
    followEvents(
      { broker, log },
      {
        durable: 'sso-app-users',
        subject: 'evt.*.user.deleted',
        types: ['user.deleted'],
        lasting: true,
        async handle({ data: { ID: userId } }) {
          if (typeof userId !== 'string') return;
          await database.transaction({ call: byService, tenant: null }, (tx) =>
            removeConsentsOfUser(tx, userId, null),
          );
        },
      },
    );
    return () => Promise.resolve();
  };
}
