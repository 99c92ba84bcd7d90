import process from 'node:process';
import { type Host, operationOf } from '@bailiwick/contract';
import {
  createLog,
  createReadiness,
  type Log,
  type listenSettings,
  type Running,
  readSettings,
  runProcess,
  type Settings,
  type SettingTable,
} from '@bailiwick/process';
import type { DescMethodUnary } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { openCallerVerifier } from './caller-tokens.ts';
import type { Dispatch, Rpcs } from './dispatch.ts';
import { openPeers, openRpcContext, type RpcContext } from './peers.ts';
import { isCalled, nameIn, ownSettings, processSettings, remotePeers } from './process-settings.ts';
import { createLocalTransport, type WireTransport } from './rpc.ts';
import { listenRpc } from './serve.ts';
import type { callerSettings, OwnSettings, verifierSettings } from './settings.ts';

// Runs a process with the parts that it holds: services, and the gateway. Calls between them are
// function calls; all others go over the network.

/** A running service. */
export type Service = {
  routes: Rpcs;
  dispatch: Dispatch;
  /** Whether it takes calls of other processes. */
  isCalled: boolean;
  /**
   * Rejects while the service cannot work: its schema is missing, the database is away, or it has
   * never connected to the broker.
   */
  ready(): Promise<void>;
  /** Faults that do not keep the service from working. */
  concerns(): string[];
  /** Stops the background work, waits for work in hand, and closes database and broker. */
  stop(): Promise<void>;
};

/** The services that a table has addresses of. */
type Peers<Table> = {
  [Name in Host as `${Name}Url` extends keyof Table ? Name : never]: Transport;
};

type ServiceOptions<Table extends SettingTable> = {
  settings: OwnSettings<Table>;
  peers: Peers<Table>;
  log: Log;
};

type GatewayOptions<Table extends SettingTable> = ServiceOptions<Table> & {
  /** Rejects while a service of this process is not ready, or all others refuse its caller tokens. */
  alsoReady: () => Promise<void>;
  /** The concerns of the services of this process. */
  alsoConcerned: () => string[];
};

/** A service or the gateway, with its name and its settings. */
type Part<Options, Result> = {
  name: string;
  table: SettingTable;
  create: (options: Options) => Promise<Result>;
};
export type ServicePart = Part<ServiceOptions<SettingTable>, Service>;
export type GatewayPart = Part<GatewayOptions<SettingTable>, Running>;

/** A service with its settings. The cast holds because `runServices` reads them by the same table. */
export const servicePart = <Table extends SettingTable>(
  name: Host,
  table: Table,
  create: (options: ServiceOptions<Table>) => Promise<Service>,
): ServicePart => ({ name, table, create: create as unknown as ServicePart['create'] });

/** The same for the gateway. */
export const gatewayPart = <Table extends SettingTable>(
  table: Table,
  create: (options: GatewayOptions<Table>) => Promise<Running>,
): GatewayPart => ({ name: 'gateway', table, create: create as unknown as GatewayPart['create'] });

/** The settings that a process itself reads, beside those of its parts. */
type Values = Record<string, unknown> &
  Settings<typeof listenSettings & typeof callerSettings & typeof verifierSettings> & {
    /** Only of a process with the gateway and services. */
    rpcPort?: number;
  };

/** Runs a process with these parts, from start to exit. */
export async function runServices(
  name: string,
  services: readonly ServicePart[],
  gateway?: GatewayPart,
): Promise<void> {
  await runProcess(name, async (log) => {
    const parts = [...services, ...(gateway ? [gateway] : [])];
    const tables = Object.fromEntries(parts.map((part) => [part.name, part.table]));
    const settings = readSettings(processSettings(tables), process.env) as unknown as Values;
    const context = openRpcContext({ ...withoutTls, ...settings }, log);
    const peers = createPeers(Object.keys(tables), settings, context);
    const created = services.map(async (part) => {
      const service = await part.create(await peers.optionsOf(part, createLog(part.name)));
      return [part.name, service] as const;
    });
    const running = new Map(await Promise.all(created));
    for (const [service, { dispatch }] of running) peers.connect(service, dispatch);
    const state = stateOf([...running.values()], context);
    const listener = isCalled(Object.keys(tables))
      ? await listenForCalls(running, settings, context, state.ready)
      : undefined;
    const front = await gateway?.create({
      ...(await peers.optionsOf(gateway, log)),
      alsoReady: state.ready,
      alsoConcerned: state.concerns,
    });
    const stop = async () => {
      await front?.stop();
      await Promise.all([...running.values()].map((service) => service.stop()));
      await peers.close();
    };
    return { settings, running: { ...joined(listener, front, state), stop } };
  });
}

const withoutTls = { tlsCert: '', tlsKey: '', tlsCa: '' };

type State = Pick<Running, 'ready' | 'concerns'>;

const stateOf = (services: readonly Service[], { tokens }: RpcContext): State => ({
  async ready() {
    await Promise.all(services.map((service) => service.ready()));
    await tokens.assertAccepted();
  },
  concerns: () => [...new Set(services.flatMap((service) => service.concerns()))],
});

/** The transports between the parts of a process, and to the services of others. */
function createPeers(names: readonly string[], settings: Values, context: RpcContext) {
  const local = new Map(names.map((name) => [name, createLocalTransport()]));
  const remote: WireTransport[] = [];
  return {
    /** The arguments that create a part. */
    async optionsOf({ name, table }: Pick<ServicePart, 'name' | 'table'>, log: Log) {
      const urls = remotePeers(table, names).map(([peer, url]) => [peer, String(settings[url])]);
      const opened: Record<string, WireTransport> =
        urls.length === 0 ? {} : await openPeers(name, settings, Object.fromEntries(urls), context);
      remote.push(...Object.values(opened));
      const peers: Record<string, Transport> = { ...Object.fromEntries(local), ...opened };
      const own = ownSettings.map((setting) => [setting, settings[nameIn(names, name, setting)]]);
      return {
        settings: { ...settings, ...Object.fromEntries(own) } as OwnSettings<SettingTable>,
        peers: peers as Peers<SettingTable>,
        log,
      };
    },
    connect: (name: string, dispatch: Dispatch) => local.get(name)?.connect(dispatch),
    close: () => Promise.all(remote.map((one) => one.close())),
  };
}

type CallPorts = Pick<Values, 'host' | 'port' | 'grpcPort' | 'callerPublicKeys'> & {
  rpcPort?: number;
};

type Listener = Awaited<ReturnType<typeof listenRpc>>;

/** Opens the listeners for calls of other processes. */
export async function listenForCalls(
  running: ReadonlyMap<string, Service>,
  { host, port, rpcPort = port, grpcPort, callerPublicKeys }: CallPorts,
  { tls, log }: RpcContext,
  ready: () => Promise<void>,
): Promise<Listener | undefined> {
  const called = [...running].filter(([, service]) => service.isCalled);
  if (called.length === 0) return undefined;
  const targets = new Map(
    called.map(([name, { dispatch }]) => [
      name,
      // A caller token names the service that it is for, also in a process with several.
      { dispatch, verify: openCallerVerifier(name, callerPublicKeys, log) },
    ]),
  );
  const targetOf = (method: DescMethodUnary) => {
    const target = targets.get(operationOf(method).host);
    if (!target) throw new Error(`no service of this process has ${method.name}`);
    return target;
  };
  return listenRpc({
    host,
    port: rpcPort,
    grpcPort,
    tls,
    routes: new Map(called.flatMap(([, { routes }]) => [...routes])),
    dispatch: (method, ...call) => targetOf(method).dispatch(method, ...call),
    verify: (header, method) => targetOf(method).verify(header),
    readiness: createReadiness(ready),
  });
}

/** The process that `runProcess` runs: with the gateway it is ready when the gateway is. */
function joined(
  listener: Listener | undefined,
  front: Running | undefined,
  state: State,
): Omit<Running, 'stop'> {
  return {
    port: front?.port ?? listener?.port ?? 0,
    ...(listener && { grpcPort: listener.grpcPort }),
    ready: front?.ready ?? state.ready,
    concerns: front?.concerns ?? state.concerns,
    beforeDrain() {
      front?.beforeDrain?.();
      listener?.disableKeepAlive();
    },
    async drain() {
      await Promise.all([front?.drain(), listener?.drain()]);
    },
  };
}
