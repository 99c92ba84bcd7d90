import process from 'node:process';
import { Queue, Worker } from 'bullmq';
import { serveBench } from '../peer.ts';
import { createPoster, createTally, type Job, jobsFor, type QueueQuestion } from './post.ts';

// BullMQ as its guide sets it up, with retries. It keeps completed jobs, its default, as its log.
//
//   node bullmq.ts <redis port> <receiver url> <paths as JSON> <concurrency>

const [port = '', receiver = '', paths = '[]', concurrency = '1'] = process.argv.slice(2);
const targets = JSON.parse(paths) as string[];
const connection = { host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null };
const defaultJobOptions = { attempts: 11, backoff: { type: 'exponential', delay: 5000 } };
const queue = new Queue<Job>('deliveries', { connection, defaultJobOptions });
const post = createPoster(receiver, Number(concurrency));
const tally = createTally();
const worker = new Worker<Job>('deliveries', ({ data }) => post(data), {
  connection,
  concurrency: Number(concurrency),
});
worker.on('completed', tally.ended);
worker.on('failed', tally.failed);
worker.on('error', (error) => process.stderr.write(`${String(error)}\n`));
await worker.waitUntilReady();

async function publish(count: number): Promise<void> {
  await worker.pause();
  tally.begin(count);
  const jobs = jobsFor(targets, count);
  for (let at = 0; at < count; at += 500) {
    await queue.addBulk(
      jobs
        .slice(at, at + 500)
        .map((job) => ({ name: 'deliver', data: job, opts: { jobId: job.id } })),
    );
  }
}

serveBench('ready', async (question: QueueQuestion) => {
  if (question.kind === 'publish') {
    await publish(question.count);
    return 'done';
  }
  const drained = tally.drained();
  await worker.resume();
  return drained;
});
