import process from 'node:process';
import { makeWorkerUtils, run } from 'graphile-worker';
import { serveBench } from '../peer.ts';
import { createPoster, createTally, type Job, jobsFor, type QueueQuestion } from './post.ts';

// graphile-worker as its documentation sets it up, and with its options for more speed: a local
// queue, and jobs completed in batches. The bench adds a batch of tasks in one transaction, so that
// no task starts before all are there.
//
//   node graphile-worker.ts <database url> <receiver url> <paths as JSON> <concurrency> default|tuned

const [connectionString = '', receiver = '', paths = '[]', concurrency = '1', tuning = 'default'] =
  process.argv.slice(2);
const targets = JSON.parse(paths) as string[];
const post = createPoster(receiver, Number(concurrency));
const tally = createTally();
const utils = await makeWorkerUtils({ connectionString });
await utils.migrate();
const tuned = {
  worker: {
    localQueue: { size: 2 * Number(concurrency) },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
};
const runner = await run({
  connectionString,
  concurrency: Number(concurrency),
  maxPoolSize: Number(concurrency) + 2,
  noHandleSignals: true,
  taskList: { deliver: (job) => post(job as Job) },
  ...(tuning === 'tuned' && { preset: tuned }),
});
runner.events.on('job:complete', ({ error }) => (error ? tally.failed() : tally.ended()));

async function publish(count: number): Promise<void> {
  tally.begin(count);
  await utils.addJobs(
    jobsFor(targets, count).map((payload) => ({ identifier: 'deliver', payload, maxAttempts: 11 })),
  );
}

serveBench('ready', (question: QueueQuestion) =>
  question.kind === 'publish' ? publish(question.count).then(() => 'done') : tally.drained(),
);
