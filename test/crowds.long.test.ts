import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Operation, operations } from '@bailiwick/contract';
import { expectedOf } from './matrix/expected.ts';
import { isAllowedElsewhere, prepare, standingRequest } from './matrix/fixtures.ts';
import type { Principal } from './matrix/place.ts';
import { startWorld } from './matrix/start.ts';
import type { Answer } from './support/harness.ts';

// Every public operation, called many times at once with one and the same request, by a caller with
// the right to it: all calls meet at the rows that the request names.

const atOnce = 40;
/** The answers of a call that the caller may repeat, correct or not make. */
const bounded = [200, 400, 401, 403, 429];

describe('operations in crowds', () => {
  let world: Awaited<ReturnType<typeof startWorld>>;
  before(async () => {
    world = await startWorld();
  });
  after(() => world?.stop());

  const called = [...operations.values()].filter(
    (operation) => operation.public && !operation.stream && !isAllowedElsewhere(operation),
  );

  /** A caller with the right to the operation; the owner if several have it. */
  function callerOf(operation: Operation): Principal {
    const { stack, principals, places } = world;
    const place = places.own;
    const allowed = principals.filter(
      (who) =>
        expectedOf({
          operation,
          who,
          place,
          request: standingRequest(stack, operation, place, who),
        }).outcome === 'ok',
    );
    return allowed.find(({ name }) => name === 'owner') ?? allowed[0] ?? assert.fail();
  }

  for (const operation of called)
    test(`${operation.name}: ${atOnce} equal calls at once, and none answers 500`, async (t) => {
      const { stack, places } = world;
      const who = callerOf(operation);
      const { request, who: caller } = await prepare(stack, operation, places.own, who);
      const answers: Answer[] = await Promise.all(
        Array.from({ length: atOnce }, () => stack.call(operation.name, request, caller.token)),
      );
      const counts = Object.entries(Object.groupBy(answers, ({ status }) => status));
      t.diagnostic(counts.map(([status, all]) => `${all?.length} × ${status}`).join(', '));
      for (const { status, body, headers } of answers) {
        assert.ok(bounded.includes(status), `${status} ${JSON.stringify(body)}`);
        if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1);
      }
    });
});
