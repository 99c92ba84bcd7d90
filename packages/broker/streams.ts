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
import type { Names } from './names.ts';
import { BrokerProblem, type Owner } from './owner.ts';

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
export type StoredMessage = { id: string; at: Date };

/** Where the streams are, and to whom they must belong. */
export type Place = { manager: JetStreamManager; isCluster: boolean; names: Names; owner: Owner };

/** The key of the installation's id in the metadata of streams and consumers. */
export const ownerKey = 'bailiwick.installation';

/**
 * Creates the streams, or checks that they are this installation's and repairs their settings.
 * Idempotent; every process that needs them calls it. In a cluster of three servers or more, each
 * message has three copies: with two copies both would be needed for a majority, so none could
 * fail. Returns the names of the repaired settings. @throws BrokerProblem for another installation's
 * stream, and for a setting that cannot be repaired
 */
export async function ensureStreams(place: Place): Promise<string[]> {
  const { manager, names } = place;
  const repaired: string[] = [];
  for (const definition of streams) {
    const name = names.stream(definition.name);
    const stored = await manager.streams.info(name).catch(missing);
    if (stored) repaired.push(...(await repair(place, definition, stored)));
    else await manager.streams.add(newStream(place, definition));
    const copies = stored?.config.num_replicas ?? 1;
    if (place.isCluster && copies < 3)
      await manager.streams.update(name, { num_replicas: 3 }).catch(tooFewServers);
  }
  return repaired;
}

type Definition = (typeof streams)[number];

/** Settings with which a stream never loses a message before its time. */
const settingsOf = ({ subjects, max_age, discard }: Definition, names: Names) => ({
  subjects: subjects.map(names.subject),
  max_age,
  discard,
  duplicate_window: nanos(10 * 60 * 1000),
  max_msgs_per_subject: -1,
  max_msg_size: -1,
  no_ack: false,
  // A full stream of tasks refuses new ones, which then wait in the outbox. A full stream of events
  // would drop its oldest.
  ...(discard === DiscardPolicy.Old && { max_msgs: -1, max_bytes: -1 }),
});

const newStream = ({ names, owner }: Place, definition: Definition) => ({
  ...settingsOf(definition, names),
  name: names.stream(definition.name),
  retention: definition.retention,
  storage: StorageType.File,
  num_replicas: 1,
  metadata: { [ownerKey]: owner.id },
});

/** Repairs a stream. Returns the names of the changed settings. */
async function repair(
  place: Place,
  definition: Definition,
  { config, state }: StreamInfo,
): Promise<string[]> {
  const { manager, names, owner } = place;
  const { name } = config;
  await assertOwn(place, name, config.metadata?.[ownerKey], state.last_seq);
  if (config.retention !== definition.retention || config.storage !== StorageType.File)
    throw fixed(name, `${config.retention} retention and ${config.storage} storage`);
  if (config.sealed || config.mirror || config.sources?.length || config.subject_transform)
    throw fixed(name, 'a seal, a source or a transformation');
  const settings = settingsOf(definition, names);
  const changed = (Object.keys(settings) as Array<keyof typeof settings>).filter(
    (key) => String(config[key] ?? defaults[key]) !== String(settings[key]),
  );
  if (changed.length === 0 && config.metadata?.[ownerKey] === owner.id) return [];
  // An update replaces the metadata, in which the server keeps entries of its own.
  const metadata = { ...config.metadata, [ownerKey]: owner.id };
  await manager.streams.update(name, { ...settings, metadata }).catch((error: unknown) => {
    throw isRefusal(error) ? fixed(name, `other values of ${changed.join(', ')}`) : error;
  });
  return changed.map((key) => `${name} ${key}`);
}

/** The server leaves out fields with the zero value. */
const defaults: Record<string, unknown> = { no_ack: false, max_age: 0 };

const fixed = (name: string, what: string) =>
  new BrokerProblem(
    `the stream ${name} has ${what}, which lose messages: delete the stream, and the outboxes publish again what it held`,
  );

async function assertOwn(
  { manager, names, owner }: Place,
  name: string,
  ownerId: string | undefined,
  lastSeq: number,
): Promise<void> {
  if (ownerId === owner.id || (ownerId === undefined && lastSeq === 0)) return;
  const idAt = async (seq: number) => (await readStored(manager, names.stream('EVT'), seq))?.id;
  if (ownerId === undefined && (await owner.recognises(idAt))) return;
  throw new BrokerProblem(
    `the stream ${name} ${ownerId === undefined ? 'was not made by this installation' : `belongs to the installation ${ownerId}`}, and this is ${owner.id}: use a NATS account of its own, set BAILIWICK_NATS_PREFIX, or delete the stream if its installation is gone`,
  );
}

/** The state of the streams. Missing streams are created first. @throws BrokerProblem */
export async function readStates(place: Place): Promise<Record<StreamName, StreamState>> {
  const { manager, names, owner } = place;
  const read = () =>
    Promise.all(
      (['EVT', 'TASK'] as const).map((name) =>
        manager.streams.info(names.stream(name)).catch(missing),
      ),
    );
  let [events, tasks] = await read();
  if ([events, tasks].some((one) => one?.config.metadata?.[ownerKey] !== owner.id)) {
    await ensureStreams(place);
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
export async function readStored(
  manager: JetStreamManager,
  stream: string,
  seq: number,
): Promise<StoredMessage | undefined> {
  const message = await manager.streams.getMessage(stream, { seq }).catch(missing);
  return message && { id: message.header.get('Nats-Msg-Id'), at: message.time };
}

/** The oldest message of a stream on a subject. */
export function readOldest(
  manager: JetStreamManager,
  stream: string,
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
  if (!isRefusal(error)) throw error;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof NatsError && error.jsError() !== null;
