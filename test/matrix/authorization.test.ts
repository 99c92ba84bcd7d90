import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '@bailiwick/proto/operation.ts';
import { operations } from '@bailiwick/proto/registry.ts';
import { type Answer, eventually, type Stack, startStack } from '../harness.ts';
import { rowsOf } from '../store.ts';
import { type Case, expectedOf, outcomes } from './expected.ts';
import { isAllowedElsewhere, missingFixture, prepare, standingRequest } from './fixtures.ts';
import { type JsonObject, tenantPath } from './requests.ts';
import { changedIn, type Fingerprint, fingerprint, quiet } from './unchanged.ts';
import { makeWorld, type Place, type Principal, placeNames, type World } from './world.ts';

// Every public operation, for everybody, everywhere: generated from the registry. What a call comes to is told by
// its option and what is written by hand (roles.ts, handlers.ts), never by the code that decides it.

const all = [...operations.values()].filter((operation) => operation.public);
/** To operations that are open to all it makes no difference who calls. */
const anybody = ['nobody', 'junk', 'owner', 'worker'];

describe('authorization matrix', () => {
  let stack: Stack;
  let world: World;
  const denied = new Map<string, Case>();
  const succeeded = new Map<string, Case>();
  let calls = 0;
  let unchanged: Fingerprint;
  before(async () => {
    stack = await startStack('one process', { BAILIWICK_LIMITS: 'off' });
    world = await makeWorld(stack);
    await quiet(stack);
    unchanged = await fingerprint(stack);
  });
  after(() => stack?.stop());

  describe('whoever may not is refused, in the documented order, and nothing is changed', () => {
    for (const operation of all) {
      test(operation.name, async () => {
        assert.equal(missingFixture(operation), '');
        const refused = casesOf(world, operation).filter(
          (asked) => expectedOf(asked).outcome !== 'ok',
        );
        const answers = await inTurns(refused, 12, async (asked) => {
          const answer = await stack.call(operation.name, asked.request, asked.who.token);
          assertExpected(asked, answer);
          if (answer.status === 403) denied.set(requestIdOf(answer), asked);
          return answer;
        });
        calls += answers.length;
        assertAlike(refused, answers);
        const before = unchanged;
        unchanged = await fingerprint(stack);
        assert.deepEqual(changedIn(before, unchanged), [], 'a refused call changed something');
      });
    }
  });

  test('every refusal of a known caller is in the audit, by its operation and its caller', async () => {
    assert.ok(denied.size > 0);
    const entries = await auditOf(stack, [...denied.keys()]);
    for (const [requestId, { operation, who, place }] of denied) {
      const [entry] = entries.get(requestId) ?? [];
      const what = `${operation.name} by ${who.name} in ${place.name}`;
      assert.deepEqual(
        entry && [entry.operation, entry.result, entry.actor],
        [operation.name, 'denied', who.id],
        what,
      );
      assert.equal(entry?.tenant, auditedIn(operation, place, who), what);
    }
  });

  describe('whoever may, succeeds', () => {
    for (const operation of all.filter((one) => !isAllowedElsewhere(one))) {
      test(operation.name, async () => {
        const allowed = casesOf(world, operation).filter(
          (asked) => expectedOf(asked).outcome === 'ok',
        );
        assert.ok(allowed.length > 0, 'nobody may call it');
        await inTurns(allowed, 4, async (asked) => {
          const prepared = await prepare(stack, operation, asked.place, asked.who);
          const answer = await callOf(stack, operation, prepared.request, prepared.who.token);
          assertExpected({ ...asked, ...prepared }, answer);
          if (answer.status === 200) succeeded.set(requestIdOf(answer), asked);
          calls++;
        });
      });
    }
  });

  test('every audited operation that succeeds leaves an entry with its name, and no other one does', async (t) => {
    const expected = [...succeeded]
      .filter(([, asked]) => leavesEntry(asked))
      .map(([requestId]) => requestId);
    const entries = await auditOf(stack, expected);
    for (const [requestId, asked] of succeeded) {
      const { operation, who, place } = asked;
      const own = (entries.get(requestId) ?? []).filter(
        (entry) => entry.operation === operation.name && entry.result === 'success',
      );
      assert.equal(
        own.length > 0,
        leavesEntry(asked),
        `${operation.name} by ${who.name} in ${place.name}`,
      );
    }
    t.diagnostic(
      `${calls} calls of ${all.length} operations by ${world.principals.length} principals: ${denied.size} denied, ${succeeded.size} succeeded`,
    );
  });

  /** Every principal everywhere; where a request names no tenant, wherever it differs. */
  function casesOf({ principals, places }: World, operation: Operation): Case[] {
    const callers =
      operation.credential === 'none'
        ? principals.filter(({ name }) => anybody.includes(name))
        : principals;
    const known = new Set<string>();
    return callers.flatMap((who) =>
      (tenantPath(operation) ? placeNames : (['own', 'foreign', 'missing'] as const)).flatMap(
        (name) => {
          const place = placeFor(places, name, operation, who);
          const request = standingRequest(stack, operation, place, who);
          const key = `${who.name} ${JSON.stringify(request)}`;
          if (!tenantPath(operation) && known.has(key)) return [];
          known.add(key);
          return [{ operation, who, place, request }];
        },
      ),
    );
  }
});

/** Who leaves out the tenant where that is allowed means the records of their own. */
function placeFor(
  places: World['places'],
  name: (typeof placeNames)[number],
  { defaultTenant }: Operation,
  { home }: Principal,
): Place {
  if (name !== 'absent' || defaultTenant === '' || home === undefined) return places[name];
  return { ...places[home], name: 'absent', tenant: '' };
}

function assertExpected(asked: Case, { status, body }: Answer): void {
  const { operation, who, place, request } = asked;
  const { outcome, byHandler } = expectedOf(asked);
  if (byHandler && body.Code === 'unimplemented') return;
  const what = `${operation.name} by ${who.name} in ${place.name}: ${outcome} expected, ${JSON.stringify(body).slice(0, 500)} to ${JSON.stringify(request)}`;
  assert.deepEqual([status, body.Code], [outcomes[outcome].status, outcomes[outcome].code], what);
}

/** The answer to the active members of a suspended tenant, of which the principal `owner` is the only one, where the tenant's rights decide. */
function isToldOfSuspension({ operation, who, place }: Case): boolean {
  const kinds = new Set(operation.allow.map(({ kind }) => kind));
  const takesPeople = operation.credential === 'any' || operation.credential === 'session';
  return (
    who.name === 'owner' &&
    place.name === 'suspended' &&
    takesPeople &&
    kinds.has('tenant') &&
    !kinds.has('handler')
  );
}

/** A stranger cannot tell a tenant that is there from one that is not, or that is suspended. */
function assertAlike(refused: readonly Case[], answers: readonly Answer[]): void {
  const texts = new Map<string, string>();
  refused.forEach((asked, index) => {
    const { operation, who, place } = asked;
    const answer = answers[index];
    if (answer?.status !== 403 || !['foreign', 'missing', 'suspended'].includes(place.name)) return;
    if (isToldOfSuspension(asked))
      return assert.deepEqual(answer.body.Messages, ['tenant Matrix is suspended'], operation.name);
    const text = JSON.stringify({ ...answer.body, RequestID: '' });
    assert.equal(
      texts.get(who.name) ?? text,
      text,
      `${operation.name} by ${who.name} tells tenants apart`,
    );
    texts.set(who.name, text);
  });
}

/** What comes as one long text is no JSON where it succeeds. */
async function callOf(
  stack: Stack,
  { name, stream }: Operation,
  request: JsonObject,
  token: string | undefined,
): Promise<Answer> {
  if (!stream) return stack.call(name, request, token);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`${stack.url}/${name}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: response.ok ? {} : (JSON.parse(text) as Answer['body']),
  };
}

const requestIdOf = ({ headers }: Answer) => String(headers.get('x-request-id'));

const leavesEntry = ({ operation }: Case) => operation.audited;

/** The tenant in whose audit a refusal is: one that does not exist has no chain of its own. */
function auditedIn(operation: Operation, place: Place, who: Principal): string {
  // What is the worker's is no tenant's affair.
  // What only the platform may do to a tenant is the platform's, too.
  const isTenants = operation.allow.some(({ kind }) => kind === 'tenant');
  if (
    !tenantPath(operation) ||
    !isTenants ||
    place.name === 'missing' ||
    operation.credential === 'worker'
  )
    return '';
  // What is left out is filled in for whoever might be served at all.
  const isFilledIn =
    place.name === 'absent' && operation.defaultTenant !== '' && who.kind !== 'worker';
  return isFilledIn ? place.home : place.tenant;
}

type Entry = {
  requestId: string;
  operation: string;
  result: string;
  actor: string;
  tenant: string;
};

/** The audit entries of calls, once each call has one. */
async function auditOf(stack: Stack, requestIds: readonly string[]): Promise<Map<string, Entry[]>> {
  let found: Entry[] = [];
  const wanted = new Set(requestIds);
  const look = async () => {
    const text =
      'select request_id as "requestId", operation, result, actor_id as actor, tenant from access.audit_entry';
    found = await rowsOf<Entry>(stack, text);
    const there = new Set(found.map(({ requestId }) => requestId));
    return [...wanted].every((requestId) => there.has(requestId));
  };
  // The assertions say what is missing better than the waiting does.
  await eventually('the audit', look, 30_000).catch(() => undefined);
  return Map.groupBy(found, ({ requestId }) => requestId);
}

/** Some at a time, in the order of the items. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += atOnce)
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(run))));
  return results;
}
