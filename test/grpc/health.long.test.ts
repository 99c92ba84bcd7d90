import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from '@bailiwick/proto/gen/grpc/health/v1/health_pb.ts';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import * as grpc from '@grpc/grpc-js';
import { eventually, startStack } from '../support/harness.ts';
import { grpcClient, serveGroups } from './service.ts';

// The standard gRPC health service, called by a plain grpc-js client.

const { check } = Health.method;
const idle = () => Promise.resolve({});

/** Starts a Watch and collects its statuses and its final error. */
function watch(client: grpc.Client, service = '') {
  const statuses: Status[] = [];
  const call = client.makeServerStreamRequest(
    `/${Health.typeName}/Watch`,
    (bytes: Uint8Array) => Buffer.from(bytes),
    (bytes) => fromBinary(HealthCheckResponseSchema, bytes),
    toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service })),
  );
  call.on('data', ({ status }: { status: Status }) => statuses.push(status));
  const ended = new Promise<grpc.ServiceError>((resolve) => call.on('error', resolve));
  const last = (status: Status) =>
    eventually(
      `${status} in ${statuses.join()}`,
      () => Promise.resolve(statuses.at(-1) === status),
      10_000,
    );
  return { statuses, ended, last, cancel: () => call.cancel() };
}

test('Check returns the status of the process and of its services, and NOT_FOUND for others', async (t) => {
  let problem: string | undefined;
  const service = await serveGroups(t, idle, () => problem);
  const { call } = grpcClient(t, service.target);
  for (const name of ['', Groups.typeName])
    assert.equal((await call(check, { service: name })).status, Status.SERVING, name);
  await assert.rejects(
    call(check, { service: 'bailiwick.Nothing' }),
    (error: grpc.ServiceError) => error.code === grpc.status.NOT_FOUND,
  );
  const overHttp = createClient(
    Health,
    createConnectTransport({ baseUrl: service.http, httpVersion: '1.1' }),
  );
  assert.equal((await overHttp.check({})).status, Status.SERVING);
  problem = 'the database is away';
  assert.equal((await call(check, {})).status, Status.NOT_SERVING);
});

test('Watch sends every status change, and ends with UNAVAILABLE when the process stops', async (t) => {
  let problem: string | undefined;
  const service = await serveGroups(t, idle, () => problem);
  const { client, call } = grpcClient(t, service.target);
  const unknown = watch(client, 'bailiwick.Nothing');
  const own = watch(client, Groups.typeName);
  await own.last(Status.SERVING);
  problem = 'the database is away';
  await own.last(Status.NOT_SERVING);
  problem = undefined;
  await own.last(Status.SERVING);
  service.disableKeepAlive();
  await own.last(Status.NOT_SERVING);
  assert.equal(
    (await call(check, {})).status,
    Status.NOT_SERVING,
    'the listener still accepts calls',
  );
  await service.drain();
  assert.equal((await own.ended).code, grpc.status.UNAVAILABLE);
  assert.deepEqual(own.statuses, [
    Status.SERVING,
    Status.NOT_SERVING,
    Status.SERVING,
    Status.NOT_SERVING,
  ]);
  assert.deepEqual(unknown.statuses, [Status.SERVICE_UNKNOWN]);
});

test('Check of a product process returns SERVING, NOT_SERVING after SIGTERM, and SERVING after a restart', async (t) => {
  const stack = await startStack('five processes', { BAILIWICK_PRE_DRAIN_MS: '500' });
  t.after(() => stack.stop());
  const { ports } = stack.wiring;
  const clients = {
    identity: ports.identity.grpc,
    access: ports.access.grpc,
    sso: ports.sso.grpc,
    notifications: ports.notifications.grpc,
  };
  for (const [name, port] of Object.entries(clients)) {
    const { call } = grpcClient(t, `dns:///127.0.0.1:${port}`);
    assert.equal((await call(check, {})).status, Status.SERVING, name);
  }
  const { client, call } = grpcClient(t, `dns:///127.0.0.1:${ports.sso.grpc}`);
  const sso = watch(client);
  await sso.last(Status.SERVING);
  stack.kill('sso', 'SIGTERM');
  await sso.last(Status.NOT_SERVING);
  assert.equal((await sso.ended).code, grpc.status.UNAVAILABLE);
  await eventually(
    'sso to be SERVING again',
    async () => (await call(check, {}).catch(() => undefined))?.status === Status.SERVING,
    30_000,
  );
});
