import { sessionCookie } from '@bailiwick/test/sso/home.ts';
import { createApp, callback as redirectUri } from '@bailiwick/test/sso/issuer/stage.ts';
import { cpuMicrosOf, median } from '@bailiwick/test/support/numbers.ts';
import { type Bench, compare, interleave, type Row, withErrors } from './bench.ts';
import { refresh, type Site, signIn } from './code-flow.ts';
import { startPeer } from './peer.ts';
import { createPeople, pidsOf, startMeasured } from './stack.ts';

const clients = 8;
const scope = 'openid offline_access';

type Turn = { perSecond: number; cpu: number; errors: number };

/**
 * G25, the OpenID provider beside the library that it is built on: whole code flows of a person with
 * a session (request, code, tokens), and refreshes. The library by itself keeps all in its memory.
 */
export const issuer: Bench = async ({ seconds, rounds }) => {
  const stack = await startMeasured('five processes');
  const people = await createPeople(stack, clients);
  const app = await createApp(stack, { Scopes: scope.split(' '), Resources: [] });
  const peer = await startPeer<{ url: string }>(
    'oidc-provider.ts',
    JSON.stringify({ client_id: 'bench', client_secret: 'secret', redirect_uris: [redirectUri] }),
  );
  const ours = people.map(({ token }) => ({
    url: stack.url,
    id: app.ID,
    secret: app.secret,
    cookies: new Map([[sessionCookie, token]]),
    scope,
  }));
  const bare = people.map(() => ({
    url: peer.ready.url,
    id: 'bench',
    secret: 'secret',
    cookies: new Map<string, string>(),
    scope,
  }));
  const pids = { ours: pidsOf(stack), bare: [peer.pid] };
  const flow = (site: Site) => async () => void (await signIn(site));
  const results = await interleave(
    {
      flows: () => turn(ours.map(flow), seconds, pids.ours),
      bareFlows: () => turn(bare.map(flow), seconds, pids.bare),
      refreshes: async () => turn(await renewals(ours), seconds, pids.ours),
      bareRefreshes: async () => turn(await renewals(bare), seconds, pids.bare),
    },
    rounds,
  );
  await Promise.all([stack.stop(), peer.stop()]);
  return [
    ...rowsOf('code flows', results.flows, results.bareFlows),
    ...rowsOf('refreshes', results.refreshes, results.bareRefreshes),
  ];
};

/** Refreshes after a new sign-in at each site: the library in memory forgets the oldest tokens. */
const renewals = (sites: readonly Site[]) =>
  Promise.all(
    sites.map(async (site) => {
      let tokens = await signIn(site);
      return async () => {
        tokens = await refresh(site, tokens.refresh_token);
      };
    }),
  );

function rowsOf(what: string, ours: readonly Turn[], bare: readonly Turn[]): Row[] {
  const row = compare(
    {
      id: 'G25',
      what: `${what}, five processes, ${clients} clients`,
      unit: '1/s',
      against: 'oidc-provider alone, in memory',
    },
    ours.map(({ perSecond }) => perSecond),
    bare.map(({ perSecond }) => perSecond),
  );
  const cpu = {
    id: 'G25',
    what: `CPU of one of the ${what}, without the database and the broker`,
    unit: 'µs',
    ours: median(ours.map((one) => one.cpu)),
    against: 'oidc-provider alone, in memory',
    other: median(bare.map((one) => one.cpu)),
  };
  return [withErrors(row, ours, bare), cpu];
}

/** Each piece of work again and again for some seconds, all at the same time. */
async function turn(
  works: ReadonlyArray<() => Promise<void>>,
  seconds: number,
  pids: readonly number[],
): Promise<Turn> {
  const before = cpuMicrosOf(...pids);
  const started = performance.now();
  let [calls, errors] = [0, 0];
  const client = async (work: () => Promise<void>) => {
    while (performance.now() - started < seconds * 1000) {
      await work().catch(() => errors++);
      calls++;
    }
  };
  await Promise.all(works.map(client));
  const took = performance.now() - started;
  return {
    perSecond: (calls * 1000) / took,
    cpu: (cpuMicrosOf(...pids) - before) / calls,
    errors,
  };
}
