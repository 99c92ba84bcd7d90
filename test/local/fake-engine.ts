import { Buffer } from 'node:buffer';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { findBroker, startBroker } from '@bailiwick/deploy/local/broker.ts';
import { startPostgres } from '@bailiwick/deploy/local/postgres.ts';
import { quiet } from '@bailiwick/deploy/local/testing.ts';

// For tests on hosts without a container engine: the part of the Engine API that testcontainers
// uses. Its containers are servers of this host on the requested ports. It does not test how the
// images interpret their arguments.

/** The request as Docker accepts it. */
export type Creation = {
  Image: string;
  Cmd: string[];
  Env?: string[];
  HostConfig: {
    PortBindings: Record<string, Array<{ HostIp?: string; HostPort: string }>>;
    ShmSize?: number;
  };
};

type Server = { stop(): Promise<void> };
type Container = { creation: Creation; running: Server | undefined };

export type FakeEngine = {
  dockerHost: string;
  containers: Map<string, Container>;
  copied: string[];
  calls: string[];
  close(): Promise<void>;
};

/**
 * Listens on a socket in `folder`, which also holds its servers' data. Without images it fails to
 * reach the registry too.
 */
export async function startFakeEngine(
  folder: string,
  { hasImages = true } = {},
): Promise<FakeEngine> {
  const engine = {
    containers: new Map<string, Container>(),
    copied: [] as string[],
    calls: [] as string[],
    created: 0,
  };
  const server = createServer((request, response) => {
    if (!hasImages && request.url?.startsWith('/images/')) return withoutImages(request, response);
    answer(engine, folder, request, response).catch((error: unknown) =>
      json(response, 500, { message: String(error) }),
    );
  });
  const socket = join(folder, 'docker.sock');
  await new Promise<void>((listening) => server.listen(socket, listening));
  const close = async (): Promise<void> => {
    for (const { running } of engine.containers.values()) await running?.stop();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { ...engine, dockerHost: `unix://${socket}`, close };
}

const withoutImages = ({ method }: IncomingMessage, response: ServerResponse): void =>
  method === 'GET'
    ? json(response, 404, { message: 'No such image' })
    : json(response, 500, { message: 'no route to the registry' });

type Engine = Pick<FakeEngine, 'containers' | 'copied' | 'calls'> & { created: number };

async function answer(
  engine: Engine,
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readAll(request);
  const path = decodeURIComponent((request.url ?? '').replace(/\?.*/, ''));
  const call = `${request.method} ${path}`;
  engine.calls.push(call);
  const [, id = '', action = ''] = /^\/containers\/([\w-]+)\/?(\w*)$/.exec(path) ?? [];
  const container = engine.containers.get(id);
  if (call === 'GET /info')
    return json(response, 200, {
      ServerVersion: 'fake',
      OSType: 'linux',
      OperatingSystem: 'none',
      Architecture: 'none',
    });
  if (/^GET \/images\/.+\/json$/.test(call)) return json(response, 200, { Id: 'image' });
  if (call === 'GET /containers/json') return json(response, 200, []);
  if (call === 'POST /containers/create') {
    // Never that of a removed container: its data went with it.
    const created = `container-${++engine.created}`;
    engine.containers.set(created, {
      creation: JSON.parse(body.toString()) as Creation,
      running: undefined,
    });
    return json(response, 201, { Id: created, Warnings: [] });
  }
  if (!container) return json(response, 404, { message: `the fake engine knows no ${call}` });
  switch (`${request.method} ${action}`) {
    case 'PUT archive':
      engine.copied.push(body.toString('latin1'));
      return void response.writeHead(200).end();
    case 'POST start':
      container.running = await run(container.creation, join(folder, id));
      return void response.writeHead(204).end();
    case 'GET json':
      return json(response, 200, inspection(id, container));
    case 'GET logs':
      return void response.writeHead(200).end('said by the container\n');
    case 'POST stop':
      await container.running?.stop();
      container.running = undefined;
      return void response.writeHead(204).end();
    case 'DELETE ':
      engine.containers.delete(id);
      return void response.writeHead(204).end();
    default:
      return json(response, 404, { message: `the fake engine knows no ${call}` });
  }
}

/** undefined for an image that ends at once. */
async function run({ Image, Env, HostConfig }: Creation, dir: string): Promise<Server | undefined> {
  mkdirSync(dir, { recursive: true });
  const port = Number(Object.values(HostConfig.PortBindings)[0]?.[0]?.HostPort);
  if (Image.includes('nats:'))
    return startBroker({ binary: await findBroker(quiet), storeDir: dir, port, log: quiet });
  const password = Env?.find((variable) => variable.startsWith('POSTGRES_PASSWORD='))?.split(
    '=',
  )[1];
  if (!Image.includes('postgres:') || password === undefined) return undefined;
  writeFileSync(join(dir, 'password'), password);
  return startPostgres({ dataDir: dir, port, durable: false, log: quiet });
}

function inspection(id: string, { creation, running }: Container): object {
  return {
    Id: id,
    Name: `/${id}`,
    Config: { Hostname: id, Image: creation.Image, Labels: {} },
    State: {
      Running: running !== undefined,
      ExitCode: running ? 0 : 1,
      StartedAt: new Date().toISOString(),
      FinishedAt: new Date(0).toISOString(),
    },
    NetworkSettings: { Ports: creation.HostConfig.PortBindings, Networks: {} },
  };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
