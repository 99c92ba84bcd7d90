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

// The broker's streams: their settings and their content. Only broker.ts and consumer.ts call this.

const day = 24 * 60 * 60 * 1000;
const notFound = 404;

// The task stream is created first: an event older than the task stream reveals that tasks were
// lost (loss-detector.ts).
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

/** A stream's creation time and its last sequence number. */
export type StreamState = { created: Date; lastSeq: number };

/** A stored message: the id that it was published with, and its time by the broker's clock. */
export type Held = { id: string; at: Date };

/**
 * Creates the streams or updates their settings. Idempotent; every process that needs them calls
 * it. In a cluster of three servers or more, each message has three copies: with two copies both
 * would be needed for a majority, so none could fail.
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

/** The state of the streams. Missing streams are created first. */
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
  if (!events || !tasks) throw new Error('the streams do not exist');
  return { EVT: stateOf(events), TASK: stateOf(tasks) };
}

const stateOf = ({ created, state }: StreamInfo): StreamState => ({
  created: new Date(created),
  lastSeq: state.last_seq,
});

/** The message with this sequence number, or undefined. */
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

/** Turns the broker's "not found" into undefined. */
export function missing(error: unknown): undefined {
  if (error instanceof NatsError && error.jsError()?.code === notFound) return undefined;
  throw error;
}

/**
 * Ignores any refusal of the broker: one copy is better than none, and the next connection tries
 * again.
 */
function tooFewServers(error: unknown): void {
  if (!(error instanceof NatsError) || !error.jsError()) throw error;
}
