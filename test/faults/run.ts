import { randomInt } from 'node:crypto';
import { availableParallelism, cpus, loadavg } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { findBroker } from '@bailiwick/deploy/local/broker.ts';
import { postgresMajor } from '@bailiwick/deploy/versions.ts';
import { kinds } from './faults.ts';
import { runTrial, type Trial } from './trial.ts';

// npm run test:faults: a long run of the ledger in test/delivery/ledger.long.test.ts, with a table
// in Markdown at the end.
//
//   npm run test:faults                                  a hundred kills of each kind
//   npm run test:faults -- --kills 20 --seconds 120      fewer, in less time
//   npm run test:faults -- --seed 7                      the same times again, if the machine is as fast
//   npm run test:faults -- --rate 80                     twice as many operations a second
//   npm run test:faults -- --brokers 3                   a cluster of three brokers, of which one is killed

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '800' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    rate: { type: 'string', default: '40' },
    brokers: { type: 'string', default: '1' },
  },
});
const options = {
  kills: Number(values.kills),
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  rate: Number(values.rate),
};
if (Object.values(options).some((value) => !(value > 0)))
  throw new Error('--kills, --seconds, --seed and --rate are numbers above 0');

const brokers = values.brokers === '3' ? 3 : 1;
if (String(brokers) !== values.brokers) throw new Error('--brokers is 1 or 3');

const say = (line: string) => void process.stderr.write(`${line}\n`);
const broker = await findBroker(say);
process.env['BAILIWICK_TEST_BROKER'] = JSON.stringify(broker);
say(`seed ${options.seed}`);
const loadBefore = loadavg()[0] ?? 0;
const began = performance.now();
const trial = await runTrial({ ...options, brokers, say });
process.stdout.write(table(trial));
for (const [what, list] of Object.entries({
  lost: trial.lost,
  'several ids': trial.severalIds,
  disagreements: trial.disagreements,
}))
  for (const one of list.slice(0, 50)) say(`${what}: ${one}`);
const failed =
  trial.lost.length +
  trial.severalIds.length +
  trial.disagreements.length +
  trial.forged +
  Math.max(0, trial.duplicates - trial.duplicateLimit);
process.exit(failed === 0 ? 0 : 1);

function table({
  operations,
  accepted,
  effects,
  lost,
  deadLetters,
  duplicates,
  duplicateShare,
  severalIds,
  forged,
  disagreements,
  counts,
  ...rest
}: Trial): string {
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const killed = kinds.map((kind) => `${counts[kind]} of ${kind}`).join(', ');
  const rows: Array<[string, string | number]> = [
    ['Operations accepted, of those sent', `${accepted} of ${operations}`],
    ['Side effects expected', effects],
    [
      'Kills (`kill -9`)',
      `${killed}; the broker's store wiped ${counts.wipes === 1 ? 'once' : `${counts.wipes} times`}`,
    ],
    ['**Lost**', lost.length],
    ['Dead letters', deadLetters],
    ['Duplicates', `${duplicates} (${(100 * duplicateShare).toFixed(2)} %)`],
    ['Duplicates with another ID', severalIds.length],
    ['Invalid signatures', forged],
    ['Mismatches between rows, events and audit', disagreements.length],
    ['Time until idle after the last kill', `${rest.drainedAfterSeconds} s`],
  ];
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'CPU'}, Node ${process.version}, PostgreSQL ${postgresMajor}, nats-server ${broker.version}`;
  const head = `Seed ${options.seed}, ${options.rate} operations a second at most, ${brokers === 3 ? 'three brokers' : 'one broker'}, ${minutes} minutes. ${machine}; load ${loadBefore.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after.`;
  return `${head}\n\n| Measure | Result |\n|---|---|\n${rows.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}\n`;
}
