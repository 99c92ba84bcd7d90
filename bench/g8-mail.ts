import { readFileSync } from 'node:fs';
import { createToken } from '@bailiwick/contract';
import { parseKeyRing } from '@bailiwick/keys';
import { mailTask } from '@bailiwick/outbox';
import { cpuMicrosOf } from '@bailiwick/test/support/numbers.ts';
import { type Bench, compare, compareCost, interleave, withErrors } from './bench.ts';
import { openFeed } from './deliveries.ts';
import { startPeer } from './peer.ts';
import { startMeasured } from './stack.ts';

/** Default number of concurrent mails of one process. nodemailer alone uses the same. */
const connections = 10;
const firstTurn = 200;
const limitMs = 60_000;

/**
 * G8, the cost of a mail beyond sending it: verification mails from all published to all
 * acknowledged, compared with nodemailer alone.
 */
export const mail: Bench = async ({ seconds, rounds }) => {
  const server = await startPeer<string>('smtp-server.ts');
  const stack = await startMeasured('five processes', { BAILIWICK_SMTP_URL: server.ready });
  const feed = await openFeed(stack, '');
  const floor = await startPeer('mailer.ts', server.ready, String(connections));
  const ring = parseKeyRing(readFileSync(stack.wiring.secrets.keyRingFile, 'utf8'));
  const taskFor = (index: number) =>
    mailTask(
      'Account_Task_SendEmailVerification',
      ring,
      { Email: `person-${index}@example.com`, Token: createToken('verify') },
      { tenantName: 'Acme', locale: 'en' },
    );
  const arrived = (expected: number) => server.ask<number>({ expected, limitMs });
  const countFor = (perSecond: number) => Math.max(firstTurn, Math.round(perSecond * seconds));
  const last = { ours: 0, floor: 0 };

  const results = await interleave(
    {
      async ours() {
        const count = countFor(last.ours);
        await feed.heap(count, taskFor);
        const drained = await feed.drain(() => arrived(count));
        last.ours = count / drained.seconds;
        return {
          perSecond: last.ours,
          cpu: drained.cpu / count,
          errors: Math.abs(count - drained.arrived),
        };
      },
      async floor() {
        const count = countFor(last.floor);
        const before = cpuMicrosOf(floor.pid);
        const result = await floor.ask<{ seconds: number; errors: number }>({ count });
        const cpu = (cpuMicrosOf(floor.pid) - before) / count;
        last.floor = count / result.seconds;
        return {
          perSecond: last.floor,
          cpu,
          errors: result.errors + Math.abs(count - (await arrived(count))),
        };
      },
    },
    rounds,
  );
  await feed.close();
  await Promise.all([stack.stop(), floor.stop()]);
  await server.stop();

  const of = (name: 'ours' | 'floor', key: 'perSecond' | 'cpu') =>
    results[name].map((turn) => turn[key]);
  const row = { id: 'G8', against: 'nodemailer alone' };
  return [
    compare(
      { ...row, what: 'mails, five processes', unit: '1/s', target: { least: 0.8 } },
      of('ours', 'perSecond'),
      of('floor', 'perSecond'),
    ),
    compareCost(
      { ...row, what: 'CPU of a mail, without the database and the broker', unit: 'µs' },
      of('ours', 'cpu'),
      of('floor', 'cpu'),
    ),
  ].map((each) => withErrors(each, results.ours, results.floor));
};
