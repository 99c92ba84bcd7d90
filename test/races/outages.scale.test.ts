import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { retryWhileBusy } from '../support/answers.ts';
import { type Answer, eventually } from '../support/harness.ts';
import { type Stage, startStage } from '../support/stage.ts';
import { fillMembers, type Member, openPlace, type Place, use, waysToEnd } from './warm-callers.ts';

// A process that stood still has missed all signals, and so has one whose broker died or whose
// streams have got another leader. None of them may allow what has ended meanwhile.

const callers = 300;
const endings = 100;
const probes = 20;
const warmers = 4;
const endersAtOnce = 3;
/** Shorter and longer than a lease. */
const pausesMs = [700, 1500, 2500, 3500];

let stage: Stage;
let place: Place;
before(async () => {
  stage = await startStage({ brokers: 3 });
  place = await openPlace(stage);
});
after(() => stage?.stop());

test(`${endings} rights end while processes stand still and brokers die: no later call is allowed`, {
  timeout: 900_000,
}, async (t) => {
  const { stack } = stage;
  const members = await fillMembers(place, callers);
  const ways = waysToEnd(place);
  const counts = { allowed: 0, refused: 0, unavailable: 0, pauses: 0, brokers: 0 };
  let next = 0;
  let isOver = false;

  const warm = async (at: number) => {
    for (let call = at; !isOver; call += warmers)
      await use(place, call, members[call % callers] as Member);
  };
  const pause = async () => {
    for (let turn = 0; !isOver; turn++) {
      const service =
        (['gateway', 'gateway', 'identity', 'access'] as const)[turn % 4] ?? 'gateway';
      stack.kill(service, 'SIGSTOP');
      await sleep(pausesMs[(turn >> 1) % pausesMs.length]);
      stack.kill(service, 'SIGCONT');
      counts.pauses++;
      await sleep(1000);
    }
  };
  const killBrokers = async () => {
    while (!isOver) {
      await stack.broker.kill();
      counts.brokers++;
      await sleep(500);
      await stack.broker.start();
      await sleep(1500);
    }
  };
  const end = async () => {
    for (let index = next++; index < endings && !isOver; index = next++) {
      const member = members[index] as Member;
      for (const gateway of [0, 1])
        await eventually(
          'a call to be allowed',
          async () => (await use(place, gateway, member)) === 'allowed',
          60_000,
        );
      const way = ways[index % ways.length] as (typeof ways)[number];
      await untilDone(() => way(index, member));
      const results = await Promise.all(
        Array.from({ length: probes }, (_, probe) => use(place, probe, member)),
      );
      for (const result of results) counts[result]++;
    }
  };

  const disturbers = [
    ...Array.from({ length: warmers }, (_, at) => warm(at)),
    pause(),
    killBrokers(),
  ];
  const enders = Promise.all(Array.from({ length: endersAtOnce }, end)).finally(
    () => (isOver = true),
  );
  await Promise.all([enders, ...disturbers.map((one) => one.finally(() => (isOver = true)))]);
  t.diagnostic(JSON.stringify(counts));
  assert.equal(counts.allowed, 0);
  assert.ok(counts.refused > (endings * probes) / 2, JSON.stringify(counts));
  assert.ok(counts.pauses > 5 && counts.brokers > 5, JSON.stringify(counts));
});

/** Repeats a call until it has taken effect. One that has done so before it failed answers 401 or 404. */
async function untilDone(call: () => Promise<Answer>): Promise<void> {
  let attempts = 0;
  const { status, body } = await retryWhileBusy(() => {
    attempts++;
    return call();
  });
  assert.ok(status === 200 || (attempts > 1 && [401, 404].includes(status)), JSON.stringify(body));
}
