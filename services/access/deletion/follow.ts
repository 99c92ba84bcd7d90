import type { Broker, Revoke } from '@bailiwick/broker';
import { type FollowedEvent, followEvents } from '@bailiwick/outbox';
import type { Background } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { keyOfSubject } from '../decisions/effective.ts';
import { type ReportedState, setSubjectState } from '../subjects/state.ts';
import { removeSubject } from './removal.ts';

type Deps = { database: Database; broker: Broker; revoke: Revoke; log: Log };

/**
 * Follows identity's events about users and bots, so that none of their data outlives them here.
 */
export function followSubjects({ database, broker, revoke, log }: Deps): Background {
  const handle = (event: FollowedEvent) => applySubjectEvent({ database, revoke }, event);
  return () => {
    followEvents(
      { broker, log },
      {
        durable: 'access-user-states',
        replaces: 'access-users',
        subject: 'evt.*.user.>',
        types: ['user.disabled', 'user.enabled', 'user.deleted'],
        handle,
      },
    );
    followEvents(
      { broker, log },
      {
        durable: 'access-bots',
        subject: 'evt.*.bot.>',
        types: ['bot.created', 'bot.updated', 'bot.deleted'],
        handle,
      },
    );
    // Closing the broker waits for messages in progress.
    return () => Promise.resolve();
  };
}

/** Applies an event of identity, which may be the first report of the change. */
export async function applySubjectEvent(
  { database, revoke }: Pick<Deps, 'database' | 'revoke'>,
  { type, data, origin }: FollowedEvent,
): Promise<void> {
  const subject = String(data['ID']);
  const state = stateAfter(type, data);
  const changedAt = new Date(String(data['UpdatedAt']));
  await database.transaction({ call: origin, tenant: null }, (tx) =>
    setSubjectState(tx, subject, state, changedAt),
  );
  await revoke([keyOfSubject(subject)]);
  if (state === 'deleted') await removeSubject(database, subject, origin);
}

function stateAfter(type: string, record: Record<string, unknown>): ReportedState {
  if (type.endsWith('.deleted')) return 'deleted';
  if (type.startsWith('bot.')) return record['Active'] === false ? 'disabled' : 'active';
  return type === 'user.disabled' ? 'disabled' : 'active';
}
