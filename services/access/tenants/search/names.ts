import { type Broker } from '@bailiwick/broker';
import { createBatch, serviceOrigin } from '@bailiwick/contract';
import { type FollowedEvent, followEvents } from '@bailiwick/outbox';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { type Database, onPool } from '@bailiwick/store';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Directory } from '../../directory.ts';
import { type Description, describeMembers, findUndescribed } from './queries.ts';

const byService = serviceOrigin('access');

/** Members whose names are read at once. */
const batch = 500;
/** New members come in numbers: those of a directory or an import share a call and a statement. */
const newAtOnce = 100;
const restMs = 50;
const intervalMs = 30_000;

type Deps = { database: Database; broker: Broker; directory: Directory; log: Log };

/**
 * Keeps the names and addresses by which members are found current. A new membership is stored
 * without them, and its event brings them: a call that read them earlier could store them after a
 * change. A sweeper brings what no event announces, such as the members of earlier versions.
 */
export function followNames({ database, broker, directory, log }: Deps): Background[] {
  const run = onPool(database, byService);
  const describeNew = createBatch(
    async (userIds: readonly string[]) => {
      await describeAll({ database, directory }, userIds);
      return userIds;
    },
    { atOnce: 1, restMs },
  );
  const follow = () => {
    followEvents(
      { broker, log },
      {
        durable: 'access-updated-users',
        replaces: 'access-user-names',
        subject: 'evt.*.user.>',
        types: ['user.updated'],
        handle: ({ data }: FollowedEvent) =>
          describeMembers(run, [
            {
              userId: String(data['ID']),
              name: String(data['Name']),
              email: String(data['Email']),
              at: new Date(String(data['UpdatedAt'])),
            },
          ]),
      },
    );
    followEvents(
      { broker, log },
      {
        durable: 'access-new-members',
        subject: 'evt.*.tenant.>',
        types: ['tenant.member_added'],
        concurrency: newAtOnce,
        handle: async ({ data }: FollowedEvent) => void (await describeNew(String(data['UserID']))),
      },
    );
    // Closing the broker waits for messages in progress.
    return () => Promise.resolve();
  };
  const sweep = repeat({
    everyMs: intervalMs,
    log,
    failed: 'reading the names of members failed, retrying',
    async work(isStopped) {
      let ids: string[];
      do {
        ids = await findUndescribed(run, batch);
        await describeAll({ database, directory }, ids);
      } while (ids.length > 0 && !isStopped());
    },
  });
  return [follow, sweep];
}

/** Reads users from identity and stores their search keys. */
async function describeAll(
  { database, directory }: Pick<Deps, 'database' | 'directory'>,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return;
  const { users } = await directory.getUsers({ ids: [...userIds] }, byService);
  const usersById = new Map(users.map((user) => [user.id, user]));
  const descriptions = [...new Set(userIds)].map((userId): Description => {
    const user = usersById.get(userId);
    // A deleted user is not asked for again. Its memberships are about to end.
    return {
      userId,
      name: user?.name ?? '',
      email: user?.email ?? '',
      at: user?.updatedAt ? timestampDate(user.updatedAt) : new Date(0),
    };
  });
  await describeMembers(onPool(database, byService), descriptions);
}
