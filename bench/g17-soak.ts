import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { type ServiceName, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import type { OwnStack } from '@bailiwick/test/support/harness.ts';
import { median, residentMbOf, slopeOf, sum } from '@bailiwick/test/support/numbers.ts';
import { createTenant } from '@bailiwick/test/support/people.ts';
import type { Bench, Row } from './bench.ts';
import { awaitReceived, startReceiver } from './deliveries.ts';
import { closedLoop, cycle, openLoop, openPool, operation, type Shot } from './driver.ts';
import { startPeer } from './peer.ts';
import { createPeople, pidsOf, signIns, startMeasured } from './stack.ts';

const share = 0.6;
const clients = 32;
const ceilingSeconds = 30;
/**
 * Memory that a process takes at first is no leak, so the slope begins after this part of the run.
 */
const warmUp = 1 / 12;
const sampleMs = 1000;
/**
 * The heap limit of values-production.yaml. On a machine with much memory, V8 keeps four times as
 * much garbage as live data.
 */
const heap = '--max-old-space-size=384';
const limitMs = 120_000;

/** One turn of twenty requests, with each kind spread evenly. */
const turn =
  'read check read list save read check mail read list read check save read login read check list update read'.split(
    ' ',
  );

/**
 * G17, a soak that looks for growth: two hours at 60 % of the machine's maximum for a mix of
 * requests. Reports the slope of the memory of all processes, and failures: answers other than 200,
 * and missing webhooks and mails. Prints a line a minute to stderr as a record of the run.
 */
export const soak: Bench = async ({ minutes }) => {
  const [receiver, mailServer] = await Promise.all([
    startReceiver(),
    startPeer<string>('smtp-server.ts'),
  ]);
  const stack = await startMeasured('five processes', {
    BAILIWICK_SMTP_URL: mailServer.ready,
    NODE_OPTIONS: heap,
  });
  const pool = openPool(stack.url);
  const { next, counts } = await requestsOf(stack, receiver.ready);

  const ceiling = await closedLoop({ pool, next }, clients, ceilingSeconds);
  const rate = share * ceiling.perSecond;
  say(`${share * 100} % of ${ceiling.perSecond.toFixed(0)} requests/s, for ${minutes} minutes`);
  say(`minute, requests/s, p50 ms, p99 ms, errors, MB of ${serviceNames.join(', ')}, together`);
  const grown: number[] = [];
  let errors = ceiling.errors;
  for (let minute = 1; minute <= minutes; minute++) {
    const watch = watchMemory(stack);
    const result = await openLoop({ pool, next }, rate, 60);
    const samples = watch.stop();
    grown.push(sum(samples));
    errors += result.errors;
    say(
      [
        minute,
        ...[result.perSecond, result.p50, result.p99, result.errors, ...samples, sum(samples)].map(
          (number) => number.toFixed(0),
        ),
      ].join(', '),
    );
  }

  const [{ count, repeated }, mails] = await Promise.all([
    awaitReceived(receiver, counts.save, limitMs),
    mailServer.ask<number>({ expected: counts.mail, limitMs }),
  ]);
  say(
    `${count} of ${counts.save} webhooks arrived, ${repeated} of them again; ${mails} of ${counts.mail} mails`,
  );
  errors += Math.max(0, counts.save - count) + Math.max(0, counts.mail - mails);
  await pool.close();
  await stack.stop();
  await Promise.all([receiver.stop(), mailServer.stop()]);

  const steady = grown.slice(Math.ceil(minutes * warmUp));
  const row = { id: 'G17', errors };
  return [
    {
      ...row,
      what: `growth of memory, ${minutes} minutes at ${rate.toFixed(0)} requests/s`,
      unit: 'MB/min',
      ours: slopeOf(steady),
      target: { most: 0.5 },
    },
    {
      ...row,
      what: 'memory in the last minute',
      unit: 'MB',
      ours: steady.at(-1) ?? Number.NaN,
      against: 'the first after the warm-up',
      other: steady[0] ?? Number.NaN,
    },
  ] satisfies Row[];
};

const say = (line: string) => process.stderr.write(`\n${line}`);

/** The memory of each process, as the median of one sample each second. */
function watchMemory(stack: OwnStack): { stop: () => number[] } {
  const samples = new Map<ServiceName, number[]>(serviceNames.map((name) => [name, []]));
  const timer = setInterval(() => {
    for (const [name, readings] of samples) readings.push(residentMbOf(...pidsOf(stack, [name])));
  }, sampleMs);
  return {
    stop() {
      clearInterval(timer);
      return [...samples.values()].map(median);
    },
  };
}

/**
 * The requests of a tenant's users. `sent` counts the requests that must lead to a webhook or a
 * mail.
 */
async function requestsOf(stack: OwnStack, receiver: string) {
  const people = await createPeople(stack, 40);
  const owner = people[0] as (typeof people)[number];
  const Tenant = await createTenant(stack, owner.token);
  const must = async (name: string, body: object) => {
    const answer = await stack.call(name, body, owner.token);
    if (answer.status !== 200) throw new Error(`${name}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await must('Webhooks_CreateEndpoint', {
    Endpoint: { Tenant, Name: 'receiver', URL: `${receiver}/hook`, EventTypes: ['group.updated'] },
  });
  const paths = Array.from({ length: 20 }, (_, index) => `team-${index}`);
  const save = (Path: string) => ({
    Group: { Tenant, Path, Description: randomBytes(8).toString('hex') },
  });
  for (const path of paths) await must('Groups_Save', save(path));
  const { ID: Subject } = (await must('Account_Get', {}))['User'] as { ID: string };

  const [person, path, login] = [cycle(people), cycle(paths), signIns(people)];
  const counts = { save: 0, mail: 0 };
  const kinds: Record<string, () => Shot> = {
    login,
    read: () => operation('Account_Get', {}, person().token),
    check: () =>
      operation('Access_Check', { Tenant, Subject, Permission: 'iam.groups.read' }, owner.token),
    list: () => operation('Groups_List', { Tenant }, owner.token),
    update: () =>
      operation(
        'Account_Update',
        { User: { Name: randomBytes(8).toString('hex') } },
        person().token,
      ),
    save() {
      counts.save++;
      return operation('Groups_Save', save(path()), owner.token);
    },
    mail() {
      counts.mail++;
      return operation('Account_RequestPasswordReset', { Email: person().email });
    },
  };
  const kind = cycle(turn.map((name) => kinds[name] as () => Shot));
  return { counts, next: () => kind()() };
}
