import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container, Wait } from '../containers/library.ts';
import { images, natsVersion } from '../versions.ts';
import { answersAsBroker, brokerConfiguration } from './broker.ts';
import { freePort, loopback } from './ports.ts';
import { answersAsPostgres, clusterArguments, serverSettings } from './postgres.ts';
import { NoEngine } from './providers.ts';

// Database and broker in containers, for hosts without other servers and for tests with the chart's
// images. Their data goes with the containers: the library removes them even if this process is
// killed.

export type ContainerServer = {
  url: string;
  /** Stops in order. The container keeps its port and its data until it is removed. */
  stop(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
};

/** A container to run. `port` is its port inside the container. */
type Recipe = {
  port: number;
  make(container: Container): Container;
  url(address: string): string;
  answers(url: string): Promise<boolean>;
};

const startLimitMs = 60_000;
const graceMs = 15_000;

export function startPostgresContainer(): Promise<ContainerServer> {
  const password = randomBytes(24).toString('hex');
  return startContainer(images.postgres, {
    port: 5432,
    make: (container) =>
      container
        .withEnvironment({
          POSTGRES_PASSWORD: password,
          POSTGRES_INITDB_ARGS: clusterArguments.join(' '),
        })
        .withCommand(['postgres', ...serverSettings(false).flatMap((setting) => ['-c', setting])])
        .withSharedMemorySize(256 * 1024 * 1024),
    url: (address) => `postgres://postgres:${password}@${address}/postgres`,
    answers: answersAsPostgres,
  });
}

export function startBrokerContainer(): Promise<ContainerServer> {
  const target = '/etc/nats/bailiwick.conf';
  const content = brokerConfiguration({
    host: '0.0.0.0',
    port: 4222,
    store: '/data/jetstream',
    version: natsVersion,
  });
  return startContainer(images.nats, {
    port: 4222,
    make: (container) =>
      container
        .withCopyContentToContainer([{ content, target, mode: 0o644 }])
        .withCommand(['--config', target]),
    url: (address) => `nats://${address}`,
    answers: answersAsBroker,
  });
}

async function startContainer(
  image: string,
  { port, make, url, answers }: Recipe,
): Promise<ContainerServer> {
  const { library, client } = await connectEngine();
  const { host: engine } = client.info.containerRuntime;
  const isHere = engine === 'localhost';
  // A fixed port, so that a restarted container has the same address.
  const hostPort = await freePort();
  const address = url(`${isHere ? loopback : engine}:${hostPort}`);

  /**
   * The library publishes ports on all interfaces. These servers must only be reachable from this
   * host, or from the engine's host.
   */
  class Published extends library.GenericContainer {
    protected override beforeContainerCreated(): Promise<void> {
      if (isHere)
        this.hostConfig.PortBindings = {
          [`${port}/tcp`]: [{ HostIp: loopback, HostPort: String(hostPort) }],
        };
      return Promise.resolve();
    }
  }

  const container = await make(
    new Published(image).withExposedPorts({ container: port, host: hostPort }),
  )
    .withWaitStrategy(untilAnswering(() => answers(address)))
    .start()
    .catch(async (error: unknown) => {
      const isPresent = await client.image
        .exists(library.ImageName.fromString(image))
        .catch(() => true);
      throw isPresent ? error : new Error(imageProblem(image, error), { cause: error });
    });
  const handle = client.container.getById(container.getId());
  return {
    url: address,
    stop: () => client.container.stop(handle, { timeout: graceMs }),
    kill: async () => void (await handle.kill()),
    async start() {
      await client.container.start(handle);
      await answering(handle, () => answers(address));
    },
    remove: async () => void (await container.stop({ timeout: graceMs })),
  };
}

function imageProblem(image: string, error: unknown): string {
  const reason =
    error instanceof Error ? (error.message.split('\n')[0] ?? '').trim() : String(error);
  return `the container image ${image} is missing and cannot be pulled (${reason}); pull it on a line to its registry, or unset BAILIWICK_INFRA to start without containers`;
}

/** Loaded on demand: a start without containers does not need it. */
async function connectEngine() {
  const { library } = await import('../containers/library.ts');
  const client = await library.getContainerRuntimeClient().catch((error: unknown) => {
    throw new NoEngine(
      'BAILIWICK_INFRA=containers: no container engine answers; start Docker (or Podman with its socket), ' +
        'name an engine with DOCKER_HOST=unix:///path/to/docker.sock, or unset BAILIWICK_INFRA to start without containers',
      { cause: error },
    );
  });
  return { library, client };
}

type Handle = Parameters<Wait['waitUntilReady']>[0];

/**
 * Waits for an answer in the server's own protocol: a published port accepts connections before the
 * server listens.
 */
function untilAnswering(answers: () => Promise<boolean>): Wait {
  const strategy: Wait = {
    waitUntilReady: (handle) => answering(handle, answers),
    withStartupTimeout: () => strategy,
    isStartupTimeoutSet: () => true,
    getStartupTimeout: () => startLimitMs,
  };
  return strategy;
}

async function answering(handle: Handle, answers: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + startLimitMs; !(await answers()); await sleep(100)) {
    const { Name, Config, State } = await handle.inspect();
    if (State.Running && Date.now() < deadline) continue;
    const output = (await handle.logs({ stdout: true, stderr: true, tail: 12 }))
      .toString('utf8')
      .replaceAll(/[^\P{C}\n]/gu, '');
    throw new Error(
      `the container ${Name} (${Config.Image}) ${State.Running ? 'does not answer' : `ended with ${State.ExitCode}`}:\n${output}`,
    );
  }
}
