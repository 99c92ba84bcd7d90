import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { routes } from '@bailiwick/pipeline';
import { createLog, type Material, openTls } from '@bailiwick/process';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { asService, createHttpTransport, listenRpc } from '@bailiwick/wire';
import { createGrpcTransport } from '@bailiwick/wire/grpc';
import { create } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { mountMaterial } from './mount.ts';

// The two ends of a call over TLS, with a handler that only counts.

export const wires = ['http', 'grpc'] as const;
export type WireName = (typeof wires)[number];

/** Short, so that a test has many new connections. */
const connectionAgeMs = 200;

/** TLS with files that the test can replace, and its log lines. */
export function openEnd(t: TestContext, material: Material) {
  const { settings, replace } = mountMaterial(t, material);
  const lines: string[] = [];
  const tls = openTls(
    settings,
    createLog('test', (line) => lines.push(line)),
  );
  const warnings = () => lines.filter((line) => line.includes('"level":"warn"'));
  return { tls, replace, settings, lines, warnings };
}

export type End = ReturnType<typeof openEnd>;

/** A service that counts the calls by their id. */
export async function serve(t: TestContext, { tls }: Pick<End, 'tls'>) {
  const counts = new Map<string, number>();
  const listener = await listenRpc({
    host: loopback,
    port: 0,
    grpcPort: 0,
    tls,
    connectionAgeMs,
    routes: routes([
      Groups,
      Object.fromEntries(
        Groups.methods.map(({ localName }) => [localName, () => Promise.resolve({})]),
      ),
    ]),
    verify: () => ({ type: 'service', id: 'test' }) as never,
    readiness: () => Promise.resolve(undefined),
    async dispatch(method, request) {
      const { path } = (request as unknown as { group?: { path: string } }).group ?? { path: '' };
      counts.set(path, (counts.get(path) ?? 0) + 1);
      await sleep(Math.random() * 4);
      return create(method.output);
    },
  });
  t.after(() => listener.drain());
  return { ...listener, counts };
}

export type WireServer = Awaited<ReturnType<typeof serve>>;

/** A client of it, made like a product process's. */
export function clientOf(
  t: TestContext,
  wire: WireName,
  { tls }: Pick<End, 'tls'>,
  { port, grpcPort, host = loopback }: WireServer & { host?: string },
) {
  const options = { audience: 'access', sign: () => 'token', tls, connectionAgeMs };
  const transport =
    wire === 'http'
      ? createHttpTransport({ ...options, url: `${tls ? 'https' : 'http'}://${host}:${port}` })
      : createGrpcTransport({ ...options, url: `dns:///${host}:${grpcPort}` });
  t.after(() => transport.close());
  return createClient(Groups, asService(transport, 'test'));
}

export type Client = ReturnType<typeof clientOf>;

/**
 * Makes calls with side effects until `meanwhile` is over. Returns the failures, and how often each
 * call was processed.
 */
export async function callWhile(
  client: Client,
  { counts }: WireServer,
  meanwhile: () => Promise<void>,
) {
  const failures: unknown[] = [];
  let isOver = false;
  let calls = 0;
  counts.clear();
  const callOn = async () => {
    while (!isOver) {
      await client
        .save({ group: { tenant: 't', path: `call-${calls++}` } })
        .catch((error: unknown) => failures.push(error));
      await sleep(Math.random() * 20);
    }
  };
  const load = Array.from({ length: 8 }, callOn);
  await meanwhile().finally(() => (isOver = true));
  await Promise.all(load);
  return {
    calls,
    failures,
    notOnce: [...counts].filter(([, times]) => times !== 1),
    processed: counts.size,
  };
}
