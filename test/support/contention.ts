import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, recordIn } from './answers.ts';
import { type Answer, describeOne, type Stack, startStack, type Topology } from './harness.ts';
import { signUp, tenantFor } from './people.ts';
import { whileLocked } from './store.ts';

// 200 concurrent calls for one row, or for many rows of one tenant, while another transaction holds
// their lock. Calls of another tenant in the same service still get answers, and none of the 200
// calls gets a 500.

const crowd = 200;
/**
 * The number of calls of the other tenant, and the limit for the slowest. A call in a line behind the
 * crowd waits for many turns of a connection, which the database ends after 2 s or more each.
 */
const others = 10;
const slowestMs = 8000;
/**
 * The crowd has arrived when the number of answered calls is the same for `quietMs`: the others wait for their row. The test waits
 * at most `unansweredMs` for the first answer, and `arrivingMs` on a slow machine where answers trickle in. The row is held for
 * less than the 10 s after which the database ends a statement.
 */
const quietMs = 1000;
const unansweredMs = 3000;
const arrivingMs = 5000;

type Person = Awaited<ReturnType<typeof signUp>>;
type ServiceName = 'access' | 'identity' | 'sso' | 'notifications';

/**
 * The service, the statement that takes the lock, and the calls that wait for it. `own` is a call
 * of a member of the tenant, which calls of others must not crowd out.
 */
export type Contention = {
  service: ServiceName;
  lock: [text: string, ...values: string[]];
  call: (index: number) => Promise<Answer>;
  own?: () => Promise<Answer>;
};

/** The product, and an owner of new tenants. */
export type Scene = {
  stack: Stack;
  owner: Person;
  asOwner: (operation: string, request: object) => Promise<Answer>;
  newTenant: () => Promise<string>;
  makeEndpoint: (person: Person, tenant: string) => Promise<{ ID: string; URL: string }>;
};

/** Takes the same advisory lock as `lockName`. */
export const onName = (name: string): Contention['lock'] => [
  'select pg_advisory_xact_lock(hashtextextended($1, 0))',
  name,
];

/** Runs each contention. Rows are locked in the database, whichever process asks for them. */
export function describeContention(
  name: string,
  topology: Topology,
  contentions: Record<string, (scene: Scene) => Promise<Contention>>,
): void {
  describeOne(name, topology, () => {
    let scene: Scene;
    let unrelated: Awaited<ReturnType<typeof unrelatedCalls>>;
    before(async () => {
      scene = await setScene(await startStack(topology, { BAILIWICK_LIMITS: 'off' }));
      unrelated = await unrelatedCalls(scene);
    });
    after(() => scene?.stack.stop());

    for (const [title, prepare] of Object.entries(contentions)) {
      test(`${title}: ${crowd} calls at once do not delay another tenant, and none gets a 500`, async (t) => {
        const contention = await prepare(scene);
        const { answers, took, own } = await crowdIn(
          scene.stack,
          contention,
          unrelated[contention.service],
        );
        const tally = [...Map.groupBy(answers, ({ status }) => status)].map(
          ([status, { length }]) => `${length} × ${status}`,
        );
        t.diagnostic(`${tally.join(', ')}; others at most ${Math.max(...took).toFixed(0)} ms`);
        assert.ok(
          Math.max(...took) < slowestMs,
          `an unrelated call took ${Math.max(...took).toFixed(0)} ms`,
        );
        for (const answer of answers) assertBounded(answer);
        assert.ok(answers.some(({ status }) => status !== 429));
        if (own) assert.equal(own.status, 200, JSON.stringify(own.body));
        // The next call is not rejected any more.
        assert.notEqual((await contention.call(0)).status, 429);
      });
    }
  });
}

async function setScene(stack: Stack): Promise<Scene> {
  const owner = await signUp(stack);
  return {
    stack,
    owner,
    asOwner: (operation, request) => stack.call(operation, request, owner.token),
    newTenant: () => tenantFor(stack, owner.id),
    async makeEndpoint({ token }, Tenant) {
      const record = {
        Tenant,
        Name: 'receiver',
        URL: `${stack.inboxUrl}/hooks/receiver`,
        EventTypes: ['none.of.these'],
      };
      const { ID } = recordIn(
        await stack.call('Webhooks_CreateEndpoint', { Endpoint: record }, token),
        'Endpoint',
      ) as { ID: string };
      return { ID, ...record };
    },
  };
}

/** A change in each service by a user of another tenant. */
async function unrelatedCalls({
  stack,
  makeEndpoint,
}: Scene): Promise<Record<ServiceName, (index: number) => Promise<Answer>>> {
  const stranger = await signUp(stack);
  const Tenant = await tenantFor(stack, stranger.id);
  const call = (operation: string, request: object) =>
    stack.call(operation, request, stranger.token);
  const { ID: domain } = recordIn(
    await call('Domain_Create', { Tenant, Name: 'unrelated.example' }),
    'Domain',
  ) as { ID: string };
  const endpoint = await makeEndpoint(stranger, Tenant);
  return {
    access: (index) => call('Groups_Save', { Group: { Tenant, Path: `group${index}` } }),
    identity: (index) => call('Account_Update', { User: { Name: `Name ${index}` } }),
    sso: (index) =>
      call('Domain_Update', {
        Tenant,
        ID: domain,
        DefaultRole: index % 2 === 0 ? 'admin' : 'member',
      }),
    notifications: (index) =>
      call('Webhooks_UpdateEndpoint', { Endpoint: { ...endpoint, Name: `Name ${index}` } }),
  };
}

/** The answers of the concurrent calls, and the times of the unrelated calls. */
async function crowdIn(
  stack: Stack,
  { lock, call, own }: Contention,
  unrelated: (index: number) => Promise<Answer>,
) {
  const [text, ...values] = lock;
  const took: number[] = [];
  const { crowded, owned } = await whileLocked(stack, text, values, async () => {
    let answers = 0;
    const crowded = Array.from({ length: crowd }, (_, index) =>
      call(index).finally(() => answers++),
    );
    const began = performance.now();
    const isArriving = (previous: number) => {
      const elapsed = performance.now() - began;
      return answers === 0 ? elapsed < unansweredMs : previous < answers && elapsed < arrivingMs;
    };
    let previous: number;
    do {
      previous = answers;
      await sleep(quietMs);
    } while (isArriving(previous));
    const owned = own?.();
    for (let index = 0; index < others; index++) {
      const began = performance.now();
      bodyOf(await unrelated(index));
      took.push(performance.now() - began);
    }
    return { crowded, owned };
  });
  return { answers: await Promise.all(crowded), took, own: await owned };
}

function assertBounded({ status, body, headers }: Answer): void {
  assert.ok([200, 400, 403, 429].includes(status), JSON.stringify(body));
  if (status !== 429) return;
  assert.equal(body.Code, 'resource_exhausted');
  assert.ok(Number(headers.get('retry-after')) >= 1);
}
