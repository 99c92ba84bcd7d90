import {
  type Broker,
  createGuards,
  createRevoker,
  openBroker,
  type Revoke,
} from '@bailiwick/broker';
import { callerNetwork, type Host } from '@bailiwick/contract';
import { isDeadToken } from '@bailiwick/errors';
import { type KeyRing } from '@bailiwick/keys';
import { createHandover, createOwner, type Handover, startRelay } from '@bailiwick/outbox';
import { endRefused, type Log } from '@bailiwick/process';
import {
  assertSchemaWindow,
  type Database,
  holdersIn,
  type Installation,
  openDatabase,
  renewHolder,
  type ServiceSchema,
  sweepRevocations,
  UnsuitableDatabase,
  versionOf,
} from '@bailiwick/store';
import { revocationServices, type Service } from '@bailiwick/wire';
import { createDispatch, type DispatchOptions } from '../dispatch.ts';
import { routes, type Served, serve } from '../handlers.ts';
import { createIdempotency } from '../idempotency/idempotency.ts';
import { sweepCalls } from '../idempotency/queries.ts';
import { createPositions } from '../positions.ts';
import { createConfirm, type RightsSources } from './confirm.ts';
import { countedMs, createRefusals, type Refusals } from './refusals.ts';
import { type Background, repeat } from './repeat.ts';

/** How often expired idempotent calls and old revocations are deleted. */
const sweepMs = 60_000;

type ServiceParts = {
  served: readonly Served[];
  background?: readonly Background[];
  rights: RightsSources;
};

export type ServiceOptions = {
  schema: ServiceSchema;
  settings: {
    databaseUrl: string;
    databaseReadUrl: string;
    databasePool: number;
    installationId: string;
    natsUrl: string;
    natsPrefix: string;
  };
  /** Seals the stored responses of idempotent calls. */
  keyRing: KeyRing;
  log: Log;
  /** A fixed pause of the relay after each round: see `startRelay`. */
  relayPauseMs?: number;
  /** Creates the handlers and the background work. */
  parts: (deps: {
    database: Database;
    broker: Broker;
    /** For rows that a statement of the service's own has written to the outbox. */
    handover: Handover;
    refusals: Refusals;
    revoke: Revoke;
  }) => ServiceParts;
};

/**
 * Creates a service: its database, the broker, its outbox relay and the pipeline around its
 * handlers. Background work begins once this code can run on the schema.
 */
export async function createService({
  schema,
  settings,
  keyRing,
  log,
  relayPauseMs,
  parts,
}: ServiceOptions): Promise<Service> {
  const name = schema.service;
  const refuse = (message: string) => endRefused(message, log);
  const { database, broker } = openStores(schema, settings, { log, refuse });
  const handover = createHandover();
  const refusals = createRefusals(database, log);
  const revoke = createRevoker(broker, holdersIn(database));
  const guards = createGuards(broker);
  const stores = { database, broker, handover, refusals, revoke };
  const { served, background = [], rights } = parts(stores);
  const upkeep = createUpkeep(database, refusals, log);
  const table = routes(...served, revocationLog(schema, database));

  let hasFoundBroker = false;
  let relay: ReturnType<typeof startRelay> | undefined;
  const running: Array<() => Promise<void>> = [];
  const check = () => assertSchemaWindow(database, schema, settings.installationId);
  const begin = whenSchemaFits(check, { log, refuse }, (installation) => {
    broker.claim(createOwner(database, installation));
    relay = startRelay({ database, handover, broker, log, pauseMs: relayPauseMs });
    running.push(...[...background, ...upkeep].map((start) => start()));
  });

  const dispatch = createDispatch({
    routes: table,
    log,
    revoke,
    idempotency: createIdempotency({ database, keyRing, log }),
    positions: createPositions({ database, keyRing, log }),
    guarding: { guards, confirm: createConfirm(rights) },
    auditRefusal: createRefusalAudit(refusals),
  });

  return {
    routes: table,
    dispatch,
    isCalled: true,
    async ready() {
      if (!begin.done()) throw new Error(`the schema ${name} cannot be used yet`);
      await database.ping();
      // Once connected, calls continue without the broker: changes wait in the outbox.
      hasFoundBroker ||= broker.isConnected();
      if (!hasFoundBroker) throw new Error('the broker is away');
    },
    concerns: () => (broker.isFull() ? ['the storage of the broker is full'] : []),
    async stop() {
      begin.cancel();
      await Promise.all(running.map((stop) => stop()));
      guards.close();
      await refusals.flush();
      await relay?.stop();
      await broker.close();
      await database.close();
    },
  };
}

type Refusing = { log: Log; refuse: (message: string) => void };

function openStores(
  schema: ServiceSchema,
  {
    databaseUrl: url,
    databaseReadUrl: readUrl,
    databasePool: poolSize,
    natsUrl,
    natsPrefix,
  }: ServiceOptions['settings'],
  { log, refuse }: Refusing,
) {
  const { service, entities } = schema;
  return {
    database: openDatabase({
      service,
      url,
      readUrl,
      version: versionOf(schema),
      entities,
      poolSize,
      log,
    }),
    broker: openBroker({
      url: natsUrl,
      prefix: natsPrefix,
      name: `bailiwick-${service}`,
      log,
      refuse,
    }),
  };
}

/** The log of the service's revocations, for the holders of other processes. */
const revocationLog = (schema: ServiceSchema, database: Database): Served =>
  serve(revocationServices[schema.service as Host], {
    follow: (renewal) => renewHolder(database, schema, renewal),
  });

/** The background work of every service. */
const createUpkeep = (database: Database, refusals: Refusals, log: Log): readonly Background[] => [
  repeat({
    everyMs: countedMs,
    log,
    failed: 'auditing refused calls failed',
    work: refusals.flush,
  }),
  repeat({
    everyMs: sweepMs,
    log,
    failed: 'deleting expired idempotent calls failed, retrying',
    work: (isStopped) => sweepCalls(database, isStopped),
  }),
  repeat({
    everyMs: sweepMs,
    log,
    failed: 'deleting old revocations failed, retrying',
    work: () => sweepRevocations(database),
  }),
];

/** Records refused calls. Equal refusals within a short time share an entry that counts them. */
const createRefusalAudit =
  (refusals: Refusals): DispatchOptions['auditRefusal'] =>
  (call, error, tenant) => {
    const { type, id, credentialId, ip } = call.caller;
    if (isDeadToken(error))
      return refusals.record(`token ${callerNetwork(ip)} ${call.operation.name}`, call, {
        Tenant: '',
        Action: 'token.refused',
        Result: 'failed',
        Code: error.code,
        Targets: [],
      });
    // A stolen credential, or another address, is counted as another caller. The counting entry
    // shows the last caller.
    const kind = [type, id, credentialId, ip, call.operation.name, tenant].join(' ');
    return refusals.record(kind, call, {
      Tenant: tenant,
      Action: 'access.denied',
      Result: 'denied',
      Code: error.code,
      Targets: [],
    });
  };

function whenSchemaFits(
  assertFits: () => Promise<Installation>,
  { log, refuse }: Refusing,
  start: (installation: Installation) => void,
) {
  let state: 'waiting' | 'done' | 'cancelled' = 'waiting';
  let timer: NodeJS.Timeout | undefined;
  let lastProblem = '';
  const check = async () => {
    try {
      const installation = await assertFits();
      if (state === 'waiting') {
        state = 'done';
        start(installation);
      }
    } catch (error) {
      if (error instanceof UnsuitableDatabase) return refuse(error.message);
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== lastProblem) log.warn('waiting for the database', { error: problem });
      lastProblem = problem;
      if (state === 'waiting') timer = setTimeout(() => void check(), 500);
    }
  };
  void check();
  return {
    done: () => state === 'done',
    cancel: () => {
      if (state === 'waiting') state = 'cancelled';
      clearTimeout(timer);
    },
  };
}
