import { cpuMicrosOf, median, sum } from '@bailiwick/test/support/numbers.ts';
import { createTenant } from '@bailiwick/test/support/people.ts';
import { type Bench, interleave, type Row } from './bench.ts';
import {
  awaitReceived,
  deliveryTask,
  pathsOf,
  resetReceiver,
  startDeliveries,
  startReceiver,
} from './deliveries.ts';
import { closedLoop, cycle, openPool, operation, type Shot } from './driver.ts';
import { makeEndpoint, publication, publish } from './g18-busy-endpoint.ts';
import { introspections } from './g19-introspect.ts';
import { createPeople, type Person, pidsOf, reads, signIns } from './stack.ts';

type Turn = { calls: number; perSecond: number; errors: number };

/**
 * The short bench: six kinds of work on one installation of five processes, within three minutes.
 * Each has the rate and the CPU of all processes for one, without the database and the broker. For
 * the comparison of two versions (compare.ts), where nothing else is measured.
 */
export const short: Bench = async ({ seconds, rounds }) => {
  const receiver = await startReceiver();
  const product = await startDeliveries(receiver, pathsOf(100));
  const { stack, tenant } = product;
  const people = await createPeople(stack, 40);
  const pool = openPool(stack.url);
  const busy = await makeEndpoint(stack, `${receiver.ready}/busy`);
  const load = (clients: number, next: () => Shot) => () =>
    closedLoop({ pool, next }, clients, seconds);
  const endpoint = cycle(product.endpoints);

  const turns: Record<string, () => Promise<Turn>> = {
    'sign-ins, 8 clients': load(8, signIns(people)),
    'Users_GetByEmail, 32 clients': load(32, reads(people)),
    'Tokens_Introspect, 32 clients': load(32, await introspections(stack, people)),
    'Access_Check of a direct grant, 32 clients': load(32, await checks(stack, people)),
    'deliveries to 100 endpoints': () =>
      arrivals(Math.round(800 * seconds), async (count) => {
        await product.heap(count, () => deliveryTask(tenant, endpoint()));
        const { seconds: took } = await product.drain(() => awaitReceived(receiver, count));
        return { took, errors: 0 };
      }),
    'events to one endpoint, 32 publishers': () =>
      arrivals(Math.round(300 * seconds), async (count) => {
        const began = performance.now();
        const errors = await publish(stack, () => publication(busy.tenant, busy.token), count);
        await awaitReceived(receiver, count);
        return { took: (performance.now() - began) / 1000, errors };
      }),
  };

  async function arrivals(
    count: number,
    work: (count: number) => Promise<{ took: number; errors: number }>,
  ): Promise<Turn> {
    await resetReceiver(receiver);
    const { took, errors } = await work(count);
    const { count: arrived } = await awaitReceived(receiver, count);
    return { calls: count, perSecond: count / took, errors: errors + count - arrived };
  }

  const withCpu = (turn: () => Promise<Turn>) => async () => {
    const before = cpuMicrosOf(...pidsOf(stack));
    const result = await turn();
    return { ...result, cpu: (cpuMicrosOf(...pidsOf(stack)) - before) / result.calls };
  };
  const results = await interleave(
    Object.fromEntries(Object.entries(turns).map(([what, turn]) => [what, withCpu(turn)])),
    rounds,
  );
  await Promise.all([pool.close(), product.stop(), receiver.stop()]);
  return Object.entries(results).flatMap(([what, rounds], index): Row[] => {
    const row = { id: `S${index + 1}`, errors: sum(rounds.map(({ errors }) => errors)) };
    return [
      { ...row, what, unit: '1/s', ours: median(rounds.map(({ perSecond }) => perSecond)) },
      { ...row, what: `CPU of ${what}`, unit: 'µs', ours: median(rounds.map(({ cpu }) => cpu)) },
    ];
  });
};

/** Checks by the owner of a tenant about its members, each of whom has a direct grant. */
export async function checks(
  stack: Parameters<typeof createPeople>[0],
  [owner, ...members]: readonly Person[],
): Promise<() => Shot> {
  const Tenant = await createTenant(stack, owner?.token ?? '');
  const call = async (name: string, body: object, token = stack.platformKey) => {
    const { status, body: answer } = await stack.call(name, body, token);
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const permission = 'app.reports.read';
  await call('Roles_Save', { Role: { Tenant, Slug: 'reader', Permissions: [permission] } });
  const ids: string[] = [];
  for (const { email } of members) {
    const { User } = await call('Users_GetByEmail', { Email: email });
    const { ID: UserID } = User as { ID: string };
    await call('TenantMembers_Add', { Tenant, UserID });
    await call('Grants_Add', { Grant: { Tenant, UserID, Role: 'reader' } });
    ids.push(UserID);
  }
  const next = cycle(ids);
  return () =>
    operation('Access_Check', { Tenant, Subject: next(), Permission: permission }, owner?.token);
}
