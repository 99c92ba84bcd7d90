import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { type Stage, startStage } from '../support/stage.ts';
import { fillMembers, type Member, openPlace, type Place, use, waysToEnd } from './warm-callers.ts';

const callers = 5000;
/** Rights that end, and the calls of each after the reply. */
const endings = 600;
const probes = 50;
/** Concurrent callers that keep the caches warm, and concurrent endings. */
const warmers = 8;
const enders = 4;

let stage: Stage;
let place: Place;
before(async () => {
  stage = await startStage();
  place = await openPlace(stage);
});
after(() => stage?.stop());

test(`${endings} rights end while ${callers} callers keep the caches warm: no later call is allowed`, async (t) => {
  const members = await fillMembers(place, callers);
  const ways = waysToEnd(place);
  let next = 0;
  let allowed = 0;
  let isOver = false;
  const warm = async (at: number) => {
    for (let call = at; !isOver; call += warmers)
      await use(place, call, members[call % callers] as Member);
  };
  const end = async () => {
    for (let index = next++; index < endings; index = next++) {
      const member = members[index] as Member;
      for (const gateway of [0, 1, 0, 1])
        assert.equal(await use(place, gateway, member), 'allowed');
      const way = ways[index % ways.length] as (typeof ways)[number];
      bodyOf(await way(index >> 3, member));
      const results = await Promise.all(
        Array.from({ length: probes }, (_, probe) => use(place, probe, member)),
      );
      assert.ok(!results.includes('unavailable'), results.join());
      allowed += results.filter((result) => result === 'allowed').length;
    }
  };
  const warming = Array.from({ length: warmers }, (_, at) => warm(at));
  try {
    await Promise.all(Array.from({ length: enders }, end));
  } finally {
    isOver = true;
    await Promise.all(warming);
  }
  t.diagnostic(`${endings * probes} calls after the end, ${allowed} allowed`);
  assert.equal(allowed, 0);
  await stage.endLoad((line) => t.diagnostic(line));
});
