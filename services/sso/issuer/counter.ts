import { Buffer } from 'node:buffer';
import { callerNetwork, type Limit } from '@bailiwick/contract';
import type { IssuerHandleRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Limiter } from '@bailiwick/store';

// Counts the calls of the OpenID provider. Pages count for each address. The calls of an app count
// for the app at that address, so that the apps of one network do not use up each other's calls.
// Failed proofs count for the address: above that limit, only callers that have succeeded go on.

type Deps = {
  limiter: Pick<Limiter, 'take' | 'count'>;
  limits: Readonly<Record<string, Limit>>;
};
type Call = Pick<IssuerHandleRequest, 'path' | 'body' | 'ip'> & {
  headers: ReadonlyArray<{ name: string; value: string }>;
};

const pages = /^\/(?:oauth\/(?:authorize|interaction|logout)|device)(?:[/?]|$)/;
/** More callers than this are forgotten. */
const mostKnown = 10_000;

export function createCounter({ limiter, limits }: Deps) {
  const [ofPages, ofApps, ofFailures] = [
    limits['issuer_page'],
    limits['issuer_app'],
    limits['issuer_failure'],
  ];
  /** The callers that have succeeded here. */
  const callers = new Set<string>();
  /** The networks with too many failures, and until when. */
  const failing = new Map<string, number>();

  function waitOf(network: string, caller: string): number {
    const waitMs = (failing.get(network) ?? 0) - Date.now();
    if (waitMs <= 0) failing.delete(network);
    return waitMs > 0 && !callers.has(caller) ? Math.ceil(waitMs / 1000) : 0;
  }

  return {
    /**
     * Counts a call. Returns the seconds that an app has to wait, 0 = none.
     * @throws resource_exhausted for a page beyond the limit
     */
    async before(call: Call): Promise<number> {
      const network = callerNetwork(call.ip);
      if (pages.test(call.path)) {
        if (ofPages) await limiter.take(`address issuer_page ${network}`, ofPages);
        return 0;
      }
      const caller = callerOf(call, network);
      const wait = waitOf(network, caller);
      if (wait > 0 || !ofApps) return wait;
      const { exceeded, resetSeconds } = await limiter.count(`issuer_app ${caller}`, ofApps);
      return exceeded ? resetSeconds : 0;
    },

    /**
     * Counts a look at what a sign-in page leads to. Beside the pages, so that looks use up no sign-in.
     * @throws resource_exhausted beyond the limit
     */
    async beforeLook(ip: string): Promise<void> {
      if (ofPages) await limiter.take(`address issuer_look ${callerNetwork(ip)}`, ofPages);
    },

    /** Counts the failure of a proof, or notes that a caller has succeeded. */
    async after(call: Call, status: number): Promise<void> {
      if (!ofFailures || pages.test(call.path)) return;
      const network = callerNetwork(call.ip);
      if (status < 400) {
        if (callers.size >= mostKnown) callers.clear();
        callers.add(callerOf(call, network));
      } else if (status === 401) {
        const key = `address issuer_failure ${network}`;
        const { exceeded, resetSeconds } = await limiter.count(key, ofFailures);
        if (exceeded) failing.set(network, Date.now() + resetSeconds * 1000);
      }
    },
  };
}

/** The app that a call names, at its address. A call with an access token names none. */
function callerOf({ path, headers, body }: Call, network: string): string {
  const { authorization = '' } = Object.fromEntries(
    headers.map(({ name, value }) => [name, value]),
  );
  const [route = ''] = path.split('?');
  const basic = /^Basic (.+)$/i.exec(authorization)?.[1] ?? '';
  const [ofHeader = ''] = Buffer.from(basic, 'base64').toString().split(':');
  const ofBody = new URLSearchParams(Buffer.from(body).toString()).get('client_id') ?? '';
  return `${(ofHeader || ofBody || route).slice(0, 64)} ${network}`;
}

/** The answer to an app beyond its limit. */
export const tooManyCalls = (seconds: number) => ({
  status: 429,
  headers: [
    { name: 'content-type', value: 'application/json; charset=utf-8' },
    { name: 'cache-control', value: 'no-store' },
    { name: 'retry-after', value: String(seconds) },
  ],
  body: Buffer.from(
    JSON.stringify({
      error: 'temporarily_unavailable',
      error_description: 'too many requests, try again later',
    }),
  ),
});
