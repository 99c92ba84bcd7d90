import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Operation, operations } from '@bailiwick/contract';
import { type Answer, eventually, type Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import { type Case, outcomes } from './case.ts';
import { expectedOf } from './expected.ts';
import { isAllowedElsewhere, missingFixture, prepare, standingRequest } from './fixtures.ts';
import type { Place, PlaceName, Principal } from './place.ts';
import { type JsonObject, tenantPath } from './requests.ts';
import { changedIn, type Fingerprint, fingerprint } from './unchanged.ts';
import type { World } from './world.ts';

// Calls every public operation as every principal, generated from the registry. The expected outcome
// comes from the operation's option and from the rules in roles.ts and handlers.ts, which are written
// by hand, never from the code that decides.

const all = [...operations.values()].filter((operation) => operation.public);
/** The places that make a request without a tenant differ. */
const differing: readonly PlaceName[] = ['own', 'foreign', 'missing'];
/** The callers of operations that are open to all: there the caller makes no difference. */
const openCallers = ['anonymous', 'junk', 'owner', 'worker'];

/** The places that the calls of a lane are about. Allowed calls use up records, so they cost most. */
type PlacesByOutcome = { denied: readonly PlaceName[]; allowed: readonly PlaceName[] };

/** `started` is called after the suite has started the world. */
export function testAuthorization(started: () => World, called: PlacesByOutcome): void {
  describe('authorization matrix', () => {
    let stack: Stack;
    let world: World;
    const denied = new Map<string, Case>();
    const succeeded = new Map<string, Case>();
    let calls = 0;
    let unchanged: Fingerprint;
    before(async () => {
      world = started();
      ({ stack } = world);
      unchanged = await fingerprint(stack);
    });

    describe('a caller without the right is denied, in the documented order, and nothing changes', () => {
      for (const operation of all) {
        test(operation.name, async () => {
          assert.equal(missingFixture(operation), '');
          const refused = casesOf(world, operation, called.denied).filter(
            (testCase) => expectedOf(testCase).outcome !== 'ok',
          );
          const answers = await inTurns(refused, 12, async (testCase) => {
            const answer = await stack.call(operation.name, testCase.request, testCase.who.token);
            assertExpected(testCase, answer);
            if (answer.status === 403) denied.set(requestIdOf(answer), testCase);
            return answer;
          });
          calls += answers.length;
          assertAlike(refused, answers);
          const before = unchanged;
          unchanged = await fingerprint(stack);
          assert.deepEqual(changedIn(before, unchanged), [], 'a denied call changed the store');
        });
      }
    });

    test('every denial of a known caller has an audit entry with its operation and its caller', async () => {
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
        assert.equal(entry?.tenant, auditedIn(world, operation, place, who), what);
      }
    });

    describe('a caller with the right succeeds', () => {
      for (const operation of all.filter((operation) => !isAllowedElsewhere(operation))) {
        test(operation.name, async () => {
          const allowed = casesOf(world, operation, called.allowed).filter(
            (testCase) => expectedOf(testCase).outcome === 'ok',
          );
          assert.ok(allowed.length > 0, 'no principal may call it');
          await inTurns(allowed, 4, async (testCase) => {
            const prepared = await prepare(stack, operation, testCase.place, testCase.who);
            const answer = await callOf(stack, operation, prepared.request, prepared.who.token);
            assertExpected({ ...testCase, ...prepared }, answer);
            if (answer.status === 200) succeeded.set(requestIdOf(answer), testCase);
            calls++;
          });
        });
      }
    });

    test('every successful call of an audited operation leaves an entry with its name, and no other call does', async (t) => {
      const expected = [...succeeded]
        .filter(([, testCase]) => leavesEntry(testCase))
        .map(([requestId]) => requestId);
      const entries = await auditOf(stack, expected);
      for (const [requestId, testCase] of succeeded) {
        const { operation, who, place } = testCase;
        const own = (entries.get(requestId) ?? []).filter(
          (entry) => entry.operation === operation.name && entry.result === 'success',
        );
        assert.equal(
          own.length > 0,
          leavesEntry(testCase),
          `${operation.name} by ${who.name} in ${place.name}`,
        );
      }
      t.diagnostic(
        `${calls} calls of ${all.length} operations by ${world.principals.length} principals: ${denied.size} denied, ${succeeded.size} succeeded`,
      );
    });

    /**
     * Every principal in these places. Where a request names no tenant, only the places that make the
     * request differ.
     */
    function casesOf(
      { principals, places }: World,
      operation: Operation,
      names: readonly PlaceName[],
    ): Case[] {
      const callers =
        operation.credential === 'none'
          ? principals.filter(({ name }) => openCallers.includes(name))
          : principals;
      const keys = new Set<string>();
      return callers.flatMap((who) =>
        names
          .filter((name) => tenantPath(operation) || differing.includes(name))
          .flatMap((name) => {
            const place = placeFor(places, name, operation, who);
            const request = standingRequest(stack, operation, place, who);
            const key = `${who.name} ${JSON.stringify(request)}`;
            if (!tenantPath(operation) && keys.has(key)) return [];
            keys.add(key);
            return [{ operation, who, place, request }];
          }),
      );
    }
  });
}

/**
 * Where the tenant may be absent, an absent tenant means the records of the caller's home tenant.
 */
function placeFor(
  places: World['places'],
  name: PlaceName,
  { defaultTenant }: Operation,
  { home }: Principal,
): Place {
  if (name !== 'absent' || defaultTenant === '' || home === undefined) return places[name];
  return { ...places[home], name: 'absent', tenant: '' };
}

function assertExpected(testCase: Case, { status, body }: Answer): void {
  const { operation, who, place, request } = testCase;
  const { outcome, byHandler } = expectedOf(testCase);
  if (byHandler && body.Code === 'unimplemented') return;
  const what = `${operation.name} by ${who.name} in ${place.name}: ${outcome} expected, ${JSON.stringify(body).slice(0, 500)} to ${JSON.stringify(request)}`;
  assert.deepEqual([status, body.Code], [outcomes[outcome].status, outcomes[outcome].code], what);
}

/**
 * Whether the caller learns that the tenant is suspended: its active members do (here only
 * `owner`), in operations that the tenant's rights decide.
 */
function learnsOfSuspension({ operation, who, place }: Case): boolean {
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

/** A stranger cannot distinguish an existing, a missing and a suspended tenant. */
function assertAlike(refused: readonly Case[], answers: readonly Answer[]): void {
  const texts = new Map<string, string>();
  refused.forEach((testCase, index) => {
    const { operation, who, place } = testCase;
    const answer = answers[index];
    if (answer?.status !== 403 || !['foreign', 'missing', 'suspended'].includes(place.name)) return;
    if (learnsOfSuspension(testCase))
      return assert.deepEqual(answer.body.Messages, ['tenant Matrix is suspended'], operation.name);
    const text = JSON.stringify({ ...answer.body, RequestID: '' });
    assert.equal(
      texts.get(who.name) ?? text,
      text,
      `${operation.name} by ${who.name} distinguishes tenants`,
    );
    texts.set(who.name, text);
  });
}

/** Calls an operation. A streamed answer is not JSON when it succeeds. */
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

/**
 * The tenant whose audit log holds a denial. A tenant that does not exist has no chain of its own.
 */
function auditedIn(world: World, operation: Operation, place: Place, who: Principal): string {
  // A denial of a portal session that names no tenant concerns the tenant of its link.
  const own = who.kind === 'portal' ? world.places.own.tenant : '';
  // Worker operations, and operations that only the platform may call, are audited on the platform.
  const isTenants = operation.allow.some(({ kind }) => kind === 'tenant');
  if (!tenantPath(operation) || !isTenants || operation.credential === 'worker') return own;
  if (place.name === 'missing') return '';
  // The gateway fills in an absent tenant for every caller that the operation could serve.
  const isFilledIn =
    place.name === 'absent' &&
    operation.defaultTenant !== '' &&
    !['worker', 'portal'].includes(who.kind);
  return (isFilledIn ? place.home : place.tenant) || own;
}

type Entry = {
  requestId: string;
  operation: string;
  result: string;
  actor: string;
  tenant: string;
};

/** Waits until each call has an audit entry, and returns the entries by request ID. */
async function auditOf(stack: Stack, requestIds: readonly string[]): Promise<Map<string, Entry[]>> {
  let entries: Entry[] = [];
  const ids = new Set(requestIds);
  const allFound = async () => {
    const text =
      'select request_id as "requestId", operation, result, actor_id as actor, tenant from access.audit_entry';
    entries = await rowsOf<Entry>(stack, text);
    const there = new Set(entries.map(({ requestId }) => requestId));
    return [...ids].every((requestId) => there.has(requestId));
  };
  // A missing entry fails in the assertions of the caller, which say more than a timeout.
  await eventually('the audit entries', allFound, 30_000).catch(() => undefined);
  return Map.groupBy(entries, ({ requestId }) => requestId);
}

/** Runs batches of `atOnce` items, in the order of the items. */
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
