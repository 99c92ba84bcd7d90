import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createId, type IdPrefix, type Operation, operations } from '@bailiwick/contract';
import type { Answer, Stack } from '../support/harness.ts';
import { missingFixture, standingRequest } from './fixtures.ts';
import type { Place, Principal } from './place.ts';
import { tenantPath } from './requests.ts';
import { changedIn, type Fingerprint, fingerprint } from './unchanged.ts';
import type { World } from './world.ts';

// A record of another tenant answers like a missing one, even for a caller with all rights in both
// tenants, and nothing happens to it. Generated from the registry, for every kind of record that a
// request can name.

const all = [...operations.values()].filter(
  (operation) => operation.public && ['session', 'any', 'bot'].includes(operation.credential),
);

/** The operations for which the difference is intended. */
const exceptions: Readonly<Record<string, string>> = {
  TenantMembers_Add: 'usr: every user can become a member',
  Groups_Save: 'path: each tenant has its own paths',
  Roles_Save: 'role: each tenant has its own slugs',
  // The webhook-id of a message may be an application's own ID.
  Webhooks_GetMessage: 'evt: any text can be a message ID',
  Webhooks_Resend: 'evt: any text can be a message ID',
  Chat_GetMessage: 'evt: any text can be a message ID',
  Chat_Resend: 'evt: any text can be a message ID',
};

/**
 * The place of the tenant with one record replaced: by another tenant's, by a missing one, and by a
 * malformed name.
 */
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

/** `started` is called after the suite has started the world. */
export function testRecords(started: () => World): void {
  describe('records of other tenants', () => {
    let stack: Stack;
    let world: World;
    let unchanged: Fingerprint;
    let compared = 0;
    before(async () => {
      world = started();
      ({ stack } = world);
      unchanged = await fingerprint(stack);
    });

    for (const operation of all) {
      test(`${operation.name} answers for a foreign record as for a missing one, and does not change it`, async () => {
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

    test('records of every kind were compared', (t) => {
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
}

/** The tenant's owner and, where a tenant is named, a caller with all rights in both tenants. */
function callersOf({ principals }: World, operation: Operation): Principal[] {
  const names = [
    operation.credential === 'bot' ? 'bot' : 'owner',
    ...(tenantPath(operation) && operation.credential !== 'session' ? ['platform'] : []),
  ];
  return principals.filter(({ name }) => names.includes(name));
}

/** An answer without its request ID, and with the requested name masked. */
function plain({ status, body }: Answer, place: Place, kind: string): unknown {
  return [status, JSON.stringify({ ...body, RequestID: '' }).replaceAll(nameIn(place, kind), '…')];
}

const nameIn = ({ path, role, ids }: Place, kind: string): string =>
  kind === 'path' ? path : kind === 'role' ? role : (ids[kind] ?? '');
