import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '@bailiwick/proto/operation.ts';
import { operations } from '@bailiwick/proto/registry.ts';
import { createId, type IdPrefix } from '@bailiwick/shared/ids.ts';
import { type Answer, type Stack, startStack } from '../harness.ts';
import { missingFixture, standingRequest } from './fixtures.ts';
import { tenantPath } from './requests.ts';
import { changedIn, type Fingerprint, fingerprint, quiet } from './unchanged.ts';
import { makeWorld, type Place, type Principal, type World } from './world.ts';

// A record of another tenant is like one that does not exist, also to who may do everything in both: the same answer,
// and nothing happens to it. Generated from the registry, for every kind of record that a request can be about.

const all = [...operations.values()].filter(
  (operation) => operation.public && ['session', 'any', 'bot'].includes(operation.credential),
);

/** Where it makes a difference, and should. */
const exceptions: Readonly<Record<string, string>> = {
  TenantMembers_Add: 'usr: whoever has an account can become a member',
  Groups_Save: 'path: a path is free in every tenant',
  Roles_Save: 'role: a slug is free in every tenant',
  // The webhook-id of a message may be an application's own.
  Webhooks_GetMessage: 'evt: any text can be a message',
  Webhooks_Resend: 'evt: any text can be a message',
  Chat_GetMessage: 'evt: any text can be a message',
  Chat_Resend: 'evt: any text can be a message',
};

/** A record of the tenant, replaced by another tenant's, by none, and by what is no name of any. */
type Swap = { kind: string; foreign: Place; missing: Place; malformed: Place };

function swapsOf({ own, foreign }: World['places']): Swap[] {
  const withId = (prefix: string, id = '') => ({ ...own, ids: { ...own.ids, [prefix]: id } });
  const ids = Object.keys(own.ids).filter((prefix) => prefix !== 'tnt');
  return [
    ...ids.map((prefix) => ({
      kind: prefix,
      foreign: withId(prefix, foreign.ids[prefix]),
      missing: withId(prefix, createId(prefix as IdPrefix)),
      malformed: withId(prefix, `${prefix}_0`),
    })),
    {
      kind: 'path',
      foreign: { ...own, path: foreign.path },
      missing: { ...own, path: 'eng/nowhere' },
      malformed: { ...own, path: 'eng//' },
    },
    {
      kind: 'role',
      foreign: { ...own, role: foreign.role },
      missing: { ...own, role: 'matrix-none' },
      malformed: { ...own, role: 'Matrix' },
    },
  ];
}

describe('records of other tenants', () => {
  let stack: Stack;
  let world: World;
  let unchanged: Fingerprint;
  let compared = 0;
  before(async () => {
    stack = await startStack('one process', { BAILIWICK_LIMITS: 'off' });
    world = await makeWorld(stack);
    await quiet(stack);
    unchanged = await fingerprint(stack);
  });
  after(() => stack?.stop());

  for (const operation of all) {
    test(`${operation.name} answers for them as for none, and leaves them alone`, async () => {
      assert.equal(missingFixture(operation), '');
      for (const who of callersOf(world, operation)) {
        for (const { kind, ...places } of swapsOf(world.places))
          await compareSwap(operation, who, kind, places);
      }
      const before = unchanged;
      unchanged = await fingerprint(stack);
      assert.deepEqual(changedIn(before, unchanged), []);
    });
  }

  test('there were some of every kind', (t) => {
    t.diagnostic(`${compared} comparisons`);
    assert.ok(compared > 50);
  });

  async function compareSwap(
    operation: Operation,
    who: Principal,
    kind: string,
    { foreign, missing, malformed }: Omit<Swap, 'kind'>,
  ): Promise<void> {
    const requestAbout = (place: Place) => standingRequest(stack, operation, place, who);
    const isAbout = JSON.stringify(requestAbout(foreign)).includes(`"${nameIn(foreign, kind)}"`);
    if (!isAbout || exceptions[operation.name]?.startsWith(`${kind}: `)) return;
    const [toForeign, toMissing, toMalformed] = await Promise.all(
      [foreign, missing, malformed].map((place) =>
        stack.call(operation.name, requestAbout(place), who.token),
      ),
    );
    const what = `${operation.name} by ${who.name} about a foreign ${kind}`;
    assert.ok(toForeign && toMissing && toMalformed);
    assert.deepEqual(plain(toForeign, foreign, kind), plain(toMissing, missing, kind), what);
    assert.deepEqual(
      [toMalformed.status, toMalformed.body.Code],
      [400, 'invalid_argument'],
      `${what}, malformed`,
    );
    compared++;
  }
});

/** Who owns the tenant and, where a tenant is named, who may do everything in both. */
function callersOf({ principals }: World, operation: Operation): Principal[] {
  const names = [
    operation.credential === 'bot' ? 'bot' : 'owner',
    ...(tenantPath(operation) && operation.credential !== 'session' ? ['platform'] : []),
  ];
  return principals.filter(({ name }) => names.includes(name));
}

/** An answer without what tells two calls apart, and without the name that was asked for where it is repeated. */
function plain({ status, body }: Answer, place: Place, kind: string): unknown {
  return [status, JSON.stringify({ ...body, RequestID: '' }).replaceAll(nameIn(place, kind), '…')];
}

const nameIn = ({ path, role, ids }: Place, kind: string): string =>
  kind === 'path' ? path : kind === 'role' ? role : (ids[kind] ?? '');
