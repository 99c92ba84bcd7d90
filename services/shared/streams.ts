import {
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
  type StreamInfo,
} from 'nats';

// The broker's streams: what they are, and what they hold. Only broker.ts and consumer.ts call this.

const day = 24 * 60 * 60 * 1000;
const notFound = 404;

// Tasks first: an event that is older than the stream of the tasks tells of tasks that were lost (loss.ts).
const streams = [
  {
    name: 'TASK',
    subjects: ['task.>'],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_age: 0,
  },
  {
    name: 'EVT',
    subjects: ['evt.>'],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(7 * day),
  },
] as const;

export type StreamName = (typeof streams)[number]['name'];

/** Since when a stream has been there, and the number of the last message it took. */
export type StreamState = { created: Date; lastSeq: number };

/** A message as a stream holds it: the id it was published with, and when, by the broker's clock. */
export type Held = { id: string; at: Date };

/**
 * Creates the streams, or brings them to these settings. Idempotent; every process that needs them calls it. In a cluster
 * each message is on three servers, as soon as there are three: two would both be needed, and survive no more than one.
 */
export async function ensureStreams(manager: JetStreamManager, isCluster: boolean): Promise<void> {
  for (const { name, subjects, retention, discard, max_age } of streams) {
    const settings = { subjects: [...subjects], max_age, duplicate_window: nanos(10 * 60 * 1000) };
    const stored = await manager.streams.info(name).catch(missing);
    const copies = stored?.config.num_replicas ?? 1;
    if (!stored)
      await manager.streams.add({
        ...settings,
        name,
        retention,
        discard,
        storage: StorageType.File,
        num_replicas: copies,
      });
    else await manager.streams.update(name, settings);
    if (isCluster && copies < 3)
      await manager.streams.update(name, { num_replicas: 3 }).catch(tooFewServers);
  }
}

/** How the streams stand. Those that are missing are made first. */
export async function readStates(
  manager: JetStreamManager,
  isCluster: boolean,
): Promise<Record<StreamName, StreamState>> {
  const read = () =>
    Promise.all(
      (['EVT', 'TASK'] as const).map((name) => manager.streams.info(name).catch(missing)),
    );
  let [events, tasks] = await read();
  if (!events || !tasks) {
    await ensureStreams(manager, isCluster);
    [events, tasks] = await read();
  }
  if (!events || !tasks) throw new Error('the streams are not there');
  return { EVT: stateOf(events), TASK: stateOf(tasks) };
}

const stateOf = ({ created, state }: StreamInfo): StreamState => ({
  created: new Date(created),
  lastSeq: state.last_seq,
});

/** What a stream holds under a number; undefined where that is nothing. */
export async function readHeld(
  manager: JetStreamManager,
  stream: StreamName,
  seq: number,
): Promise<Held | undefined> {
  const message = await manager.streams.getMessage(stream, { seq }).catch(missing);
  return message && { id: message.header.get('Nats-Msg-Id'), at: message.time };
}

/** The oldest message of a stream on a subject. */
export function readOldest(
  manager: JetStreamManager,
  stream: StreamName,
  subject: string,
): Promise<StoredMsg | undefined> {
  const first = { seq: 1, next_by_subj: subject };
  return manager.streams.getMessage(stream, first).catch(missing);
}

function missing(error: unknown): undefined {
  if (error instanceof NatsError && error.jsError()?.code === notFound) return undefined;
  throw error;
}

/** However the broker puts it: one copy is better than none, and more are asked for with the next connection. */
function tooFewServers(error: unknown): void {
  if (!(error instanceof NatsError) || !error.jsError()) throw error;
}
