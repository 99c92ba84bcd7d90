import process from 'node:process';
import { AckPolicy, connect, nanos, RetentionPolicy, StorageType } from 'nats';
import { serveBench } from '../peer.ts';
import {
  createPoster,
  createTally,
  type Drained,
  type Job,
  jobsFor,
  type QueueQuestion,
} from './post.ts';

// The minimum for a delivery from JetStream: a file-based work queue like the product's, a pull
// consumer, a post, and an acknowledgement without waiting. No deduplication, no attempt log, no
// retries.
//
//   node floor.ts <broker url> <receiver url> <paths as JSON> <concurrency>

const [servers = '', receiver = '', paths = '[]', concurrency = '1'] = process.argv.slice(2);
const targets = JSON.parse(paths) as string[];
const connection = await connect({ servers });
const manager = await connection.jetstreamManager();
await manager.streams.add({
  name: 'FLOOR',
  subjects: ['floor.>'],
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  duplicate_window: nanos(600_000),
});
await manager.consumers.add('FLOOR', {
  durable_name: 'floor',
  ack_policy: AckPolicy.Explicit,
  max_ack_pending: 1000,
});
const client = connection.jetstream();
const consumer = await client.consumers.get('FLOOR', 'floor');
const post = createPoster(receiver, Number(concurrency));
const tally = createTally();

async function publish(count: number): Promise<void> {
  tally.begin(count);
  const jobs = jobsFor(targets, count);
  for (let at = 0; at < count; at += 256) {
    await Promise.all(
      jobs.slice(at, at + 256).map((job) =>
        client.publish(`floor${job.path.replaceAll('/', '.')}`, JSON.stringify(job), {
          msgID: job.id,
        }),
      ),
    );
  }
}

async function drain(): Promise<Drained> {
  const messages = await consumer.consume({ max_messages: 2 * Number(concurrency) });
  const each = messages[Symbol.asyncIterator]();
  const hand = async () => {
    for (let next = await each.next(); !next.done; next = await each.next()) {
      await post(next.value.json<Job>()).catch(tally.failed);
      next.value.ack();
      tally.ended();
    }
  };
  const hands = Array.from({ length: Number(concurrency) }, hand);
  const drained = await tally.drained();
  await connection.flush();
  await messages.close();
  await Promise.all(hands);
  return drained;
}

serveBench('ready', (question: QueueQuestion) =>
  question.kind === 'publish' ? publish(question.count).then(() => 'done') : drain(),
);
