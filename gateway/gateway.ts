import {
  type Broker,
  createRightsCache,
  leaseMs,
  openBroker,
  watchStorage,
} from '@bailiwick/broker';
import { type Host, newCaller, operations } from '@bailiwick/contract';
import { toServiceError } from '@bailiwick/errors';
import {
  createReadiness,
  endRefused,
  type Log,
  type Running,
  shareOfHeap,
} from '@bailiwick/process';
import { contextFor, createRevocationLogs, gatewayPart, type OwnSettings } from '@bailiwick/wire';
import { createFollow } from './follow/follow.ts';
import { createLoans } from './follow/loans.ts';
import { createQuestions } from './follow/questions.ts';
import { createScopes } from './follow/scope.ts';
import { createClientAddress } from './http/client-address.ts';
import { rawErrorResponse } from './http/errors.ts';
import { listenGatewayHttp } from './http/listen.ts';
import type { Peers } from './peers.ts';
import { createRouter } from './route.ts';
import { createAuthenticator } from './session/authenticate.ts';
import { createUses } from './session/uses.ts';
import { gatewaySettings } from './settings.ts';

type Options = {
  settings: OwnSettings<typeof gatewaySettings>;
  peers: Peers;
  log: Log;
  /** Rejects while a service of this process is not ready, or all others refuse its caller tokens. */
  alsoReady: () => Promise<void>;
  /** The concerns of the services of this process. */
  alsoConcerned: () => string[];
};

const openGatewayBroker = (settings: Options['settings'], log: Log): Broker =>
  openBroker({
    url: settings.natsUrl,
    prefix: settings.natsPrefix,
    name: 'bailiwick-gateway',
    log,
    refuse: (message) => endRefused(message, log),
  });

type SessionDeps = Pick<Options, 'settings' | 'peers' | 'log'> & { broker: Broker };

/** Who calls, and who follows: both rest on the cache of principals and rights. */
function createSessions({ settings, peers, broker, log }: SessionDeps) {
  const loans = createLoans();
  // It follows the logs of all services.
  const logs = createRevocationLogs(peers, 'gateway', leaseMs);
  const rules = { maxBytes: shareOfHeap(1 / 4), borrowers: loans.borrowers };
  const rightsCache = createRightsCache(broker, logs, rules);
  const uses = createUses(peers.identity, log);
  const authenticator = createAuthenticator(peers, rightsCache, uses);
  const prefix = new URL(settings.publicUrl).pathname.replace(/\/+$/, '');
  const addressOf = createClientAddress(settings.trustedProxies);
  const follow = createFollow({
    rightsCache,
    loans,
    loadScope: createScopes(authenticator),
    loadAnswer: createQuestions(peers),
    prefix,
    addressOf,
    log,
  });
  return { rightsCache, uses, authenticator, follow, prefix, addressOf };
}

/**
 * Starts the gateway, which serves the documented JSON API. It is stateless: any number of gateways
 * may run.
 */
async function listenGateway({
  settings,
  peers,
  log,
  alsoReady,
  alsoConcerned,
}: Options): Promise<Running> {
  let draining = false;
  const services = createServicesProbe(peers);
  const readiness = createReadiness(async () => {
    // First, since it says more: a service that refuses the caller tokens counts as away.
    await alsoReady();
    await services();
  });
  const ready = async () => {
    const problem = draining ? 'draining' : await readiness();
    if (problem !== undefined) throw new Error(problem);
  };
  const broker = openGatewayBroker(settings, log);
  const sessions = createSessions({ settings, peers, broker, log });
  const { rightsCache, uses, follow } = sessions;
  const storage = watchStorage({ broker, dataDir: settings.dataDir, log });
  const concerns = () => [...storage.concerns(), ...alsoConcerned()];
  const router = createRouter({
    ...sessions,
    peers,
    settings,
    answerFollow: follow.answer,
    state: { ready, concerns },
    log,
  });
  const listener = await listenGatewayHttp(settings, router, {
    requestTimeoutMs: settings.requestTimeoutMs,
    keepAliveMs: settings.keepAliveMs,
    rawError: rawErrorResponse,
    upgrade: follow.upgrade,
  });
  return {
    port: listener.port,
    ready,
    concerns,
    beforeDrain: () => {
      draining = true;
      listener.disableKeepAlive();
      follow.refuseNew();
    },
    async drain() {
      // Their leases rest on the one of this process, which ends last.
      await follow.close();
      await listener.drain();
      await uses.close();
    },
    async stop() {
      rightsCache.close();
      storage.stop();
      await broker.close();
    },
  };
}

/**
 * Rejects until every service has responded once. Afterwards the gateway stays ready by itself: a
 * brief outage of one service must not take the gateway out of its load balancer for all others.
 */
function createServicesProbe(peers: Peers): () => Promise<void> {
  const waiting = new Set<Host>(['identity', 'access', 'sso', 'notifications']);
  const anonymous = contextFor(newCaller({ type: 'anonymous' }));
  return async () => {
    await Promise.all(
      [...waiting].map(async (host) => {
        const operation = [...operations.values()].find(
          (candidate) => candidate.host === host && candidate.credential !== 'none',
        );
        if (!operation) return;
        // A denial is a response: only a reachable service denies a call.
        const failure = await peers[host]
          .unary(operation.method, undefined, 2000, undefined, {}, anonymous)
          .catch((error: unknown) => toServiceError(error));
        if (!(failure instanceof Error) || failure.code !== 'unavailable') waiting.delete(host);
      }),
    );
    if (waiting.size > 0) throw new Error(`waiting for ${[...waiting].join(', ')}`);
  };
}

export const gateway = gatewayPart(gatewaySettings, listenGateway);
