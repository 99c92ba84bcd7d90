import { type Database } from '@bailiwick/database';
import { type Broker, type FollowedEvent, followEvents } from '@bailiwick/events';
import { type Background } from '@bailiwick/service';
import { type Log } from '@bailiwick/telemetry';
import { type ReportedState, setSubjectState } from '../subjects/state.ts';
import { removeSubject } from './removal.ts';

type Deps = { database: Database; broker: Broker; log: Log };

/**
 * Follows identity's events about users and bots, so that none of their data outlives them here.
 */
export function followSubjects({ database, broker, log }: Deps): Background {
  const handle = (event: FollowedEvent) => subjectChanged(database, event);
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

async function subjectChanged(
  database: Database,
  { type, data, origin }: FollowedEvent,
): Promise<void> {
  const subject = String(data['ID']);
  const state = stateAfter(type, data);
  const changedAt = new Date(String(data['UpdatedAt']));
  await database.transaction(null, (em) => setSubjectState(em, subject, state, changedAt));
  if (state === 'deleted') await removeSubject(database, subject, origin);
}

function stateAfter(type: string, data: Record<string, unknown>): ReportedState {
  if (type.endsWith('.deleted')) return 'deleted';
  if (type.startsWith('bot.')) return data['Active'] === false ? 'disabled' : 'active';
  return type === 'user.disabled' ? 'disabled' : 'active';
}
