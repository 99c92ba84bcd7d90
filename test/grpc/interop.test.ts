import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { invalid, ServiceError, toServiceError } from '@bailiwick/errors';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { ErrorDetailSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/error_pb.ts';
import { callerHeader, contextFor, createHttpTransport, type WireTransport } from '@bailiwick/wire';
import { createGrpcTransport } from '@bailiwick/wire/grpc';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import {
  createConnectTransport,
  createGrpcWebTransport,
  createGrpcTransport as createStockGrpcTransport,
} from '@connectrpc/connect-node';
import * as grpc from '@grpc/grpc-js';
import { ada, grpcClient, serveGroups } from './service.ts';

// Stock clients and the product's two transports get the same calls and answers from the pipeline.

const { save, get } = Groups.method;
const problem = () => invalid(['path is required', 'name is too long'], 'DIRECTORY_GROUP');
const hang = ({ signal }: { signal: AbortSignal }) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('gone'))),
  );

const statusOf = (code: grpc.status) => (error: grpc.ServiceError) => error.code === code;

test('a grpc-js client calls an operation with a signed caller', async (t) => {
  const service = await serveGroups(t, async ({ caller, request }) => {
    assert.equal(caller.id, 'usr_ada');
    return { group: { path: (request as unknown as { path: string }).path, name: 'Backend' } };
  });
  const { call } = grpcClient(t, service.target);
  const { group } = await call(get, { tenant: 'tnt_1', path: 'eng' }, { token: service.token() });
  assert.deepEqual([group?.path, group?.name], ['eng', 'Backend']);
});

test('a gRPC call without a caller is UNAUTHENTICATED, and with one signed for another service UNAVAILABLE', async (t) => {
  const service = await serveGroups(t, () =>
    Promise.resolve(assert.fail('the call reached the handler')),
  );
  const { call } = grpcClient(t, service.target);
  for (const token of [undefined, 'junk', service.sign(ada, 'identity')])
    await assert.rejects(
      call(get, {}, token === undefined ? {} : { token }),
      statusOf(token === undefined ? grpc.status.UNAUTHENTICATED : grpc.status.UNAVAILABLE),
    );
});

test('a grpc-js client gets the reason and all messages of an error in the standard status detail', async (t) => {
  const service = await serveGroups(t, () => Promise.reject(problem()));
  const { call } = grpcClient(t, service.target);
  await assert.rejects(call(save, {}, { token: service.token() }), (error: grpc.ServiceError) => {
    assert.equal(error.code, grpc.status.INVALID_ARGUMENT);
    assert.equal(error.details, 'path is required');
    const [details] = error.metadata.get('grpc-status-details-bin');
    const decoded = findTrailerError(
      new Headers({ 'grpc-status-details-bin': Buffer.from(details ?? '').toString('base64') }),
    );
    const [detail] = decoded?.findDetails(ErrorDetailSchema) ?? [];
    assert.deepEqual(
      [detail?.reason, detail?.messages],
      ['DIRECTORY_GROUP', ['path is required', 'name is too long']],
    );
    return true;
  });
});

test('a grpc-js client gets INTERNAL without details for an unexpected error', async (t) => {
  const service = await serveGroups(t, () =>
    Promise.reject(new Error('password of the database: hunter2')),
  );
  const { call } = grpcClient(t, service.target);
  await assert.rejects(call(save, {}, { token: service.token() }), (error: grpc.ServiceError) => {
    assert.equal(error.code, grpc.status.INTERNAL);
    assert.doesNotMatch(JSON.stringify(error) + error.message, /hunter2/);
    return true;
  });
});

test('a grpc-js client’s deadline and cancellation reach the handler', async (t) => {
  const ends: Array<Promise<unknown>> = [];
  const service = await serveGroups(
    t,
    ({ signal }) => (ends.push(once(signal, 'abort')), hang({ signal })),
  );
  const { call } = grpcClient(t, service.target);
  const token = service.token();
  await assert.rejects(
    call(save, {}, { token, deadlineMs: 1000 }),
    statusOf(grpc.status.DEADLINE_EXCEEDED),
  );
  await assert.rejects(
    call(save, {}, { token, signal: AbortSignal.timeout(1000) }),
    statusOf(grpc.status.CANCELLED),
  );
  assert.equal(ends.length, 2);
  await Promise.all(ends);
});

test('a service rejects too large messages, accepts many large ones at once, and drains without delay', async (t) => {
  const service = await serveGroups(t, () => Promise.resolve({}));
  const { call } = grpcClient(t, service.target);
  const sized = (bytes: number) =>
    call(
      save,
      { group: { description: 'x'.repeat(bytes) } },
      { token: service.token(), deadlineMs: 20_000 },
    );
  await assert.rejects(sized(4 * 1024 * 1024), statusOf(grpc.status.RESOURCE_EXHAUSTED));
  await Promise.all(Array.from({ length: 20 }, () => sized(1024 * 1024)));
  const began = performance.now();
  await service.drain();
  assert.ok(performance.now() - began < 5000);
});

const stockClients = (service: { http: string; h2c: string }): Record<string, Transport> => ({
  'Connect over HTTP/1.1': createConnectTransport({ baseUrl: service.http, httpVersion: '1.1' }),
  'Connect in JSON over HTTP/1.1': createConnectTransport({
    baseUrl: service.http,
    httpVersion: '1.1',
    useBinaryFormat: false,
  }),
  'Connect over HTTP/2': createConnectTransport({ baseUrl: service.h2c, httpVersion: '2' }),
  'Connect in JSON over HTTP/2': createConnectTransport({
    baseUrl: service.h2c,
    httpVersion: '2',
    useBinaryFormat: false,
  }),
  'gRPC-web over HTTP/1.1': createGrpcWebTransport({ baseUrl: service.http, httpVersion: '1.1' }),
  'gRPC-web over HTTP/2': createGrpcWebTransport({ baseUrl: service.h2c, httpVersion: '2' }),
  'gRPC over HTTP/2': createStockGrpcTransport({ baseUrl: service.h2c }),
});

test('both ports serve stock Connect, gRPC-web and gRPC clients', async (t) => {
  const service = await serveGroups(t, async ({ method, caller }) => {
    if (method === save) throw problem();
    return { group: { name: caller.id } };
  });
  const headers = { [callerHeader]: service.token() };
  for (const [name, transport] of Object.entries(stockClients(service))) {
    const groups = createClient(Groups, transport);
    assert.equal((await groups.get({ path: 'eng' }, { headers })).group?.name, 'usr_ada', name);
    const refusal = await groups
      .save({}, { headers })
      .then(() => assert.fail(name), toServiceError);
    assert.deepEqual(
      [refusal.code, refusal.reason, refusal.messages],
      ['invalid_argument', 'DIRECTORY_GROUP', problem().messages],
      name,
    );
    assert.equal(
      (await groups.get({}).then(() => assert.fail(name), toServiceError)).code,
      'unauthenticated',
      name,
    );
  }
});

const ownTransports = (
  t: TestContext,
  service: Awaited<ReturnType<typeof serveGroups>>,
): Record<string, WireTransport> => {
  const options = { audience: 'access', sign: service.sign };
  const transports = {
    http: createHttpTransport({ ...options, url: service.http }),
    grpc: createGrpcTransport({ ...options, url: service.target }),
  };
  t.after(() => Promise.all(Object.values(transports).map((transport) => transport.close())));
  return transports;
};

test('the HTTP and the gRPC transport give the same answers, errors and cancellations', async (t) => {
  const ends: Array<Promise<unknown>> = [];
  const service = await serveGroups(t, async ({ method, request, signal }) => {
    const { path } = request as unknown as { path: string };
    if (method === save) throw problem();
    if (method === get && path === 'slow') ends.push(once(signal, 'abort'));
    if (path === 'slow') return hang({ signal });
    if (path === 'away') throw new ServiceError('unavailable', '', 'the database is away');
    return { group: { path } };
  });
  const contextValues = contextFor(ada);
  for (const [name, transport] of Object.entries(ownTransports(t, service))) {
    const groups = createClient(Groups, transport);
    assert.equal((await groups.get({ path: 'eng' }, { contextValues })).group?.path, 'eng', name);
    const refusal = await groups
      .save({}, { contextValues })
      .then(() => assert.fail(name), toServiceError);
    assert.deepEqual(
      [refusal.code, refusal.reason, refusal.messages],
      ['invalid_argument', 'DIRECTORY_GROUP', problem().messages],
      name,
    );
    const away = await groups
      .get({ path: 'away' }, { contextValues })
      .then(() => assert.fail(name), toServiceError);
    assert.deepEqual([away.code, away.messages], ['unavailable', ['the database is away']], name);
    const late = await groups
      .get({ path: 'slow' }, { contextValues, timeoutMs: 150 })
      .then(() => assert.fail(name), toServiceError);
    assert.equal(late.code, 'unavailable', name);
    await assert.rejects(
      groups.get({ path: 'slow' }, { contextValues, signal: AbortSignal.timeout(1000) }),
      name,
    );
  }
  assert.equal(ends.length, 4, 'no call was sent twice');
  await Promise.all(ends);
});

test('a client whose timer is slower than the service’s gets DEADLINE_EXCEEDED, over every protocol', async (t) => {
  const service = await serveGroups(t, ({ signal }) => hang({ signal }));
  const deadline = { 'connect-timeout-ms': '50', 'grpc-timeout': '50m' };
  const headers = { [callerHeader]: service.token(), ...deadline };
  for (const [name, transport] of Object.entries(stockClients(service))) {
    const late = await createClient(Groups, transport)
      .get({ path: 'eng' }, { headers })
      .then(() => assert.fail(name), ConnectError.from);
    assert.equal(late.code, Code.DeadlineExceeded, name);
    assert.equal(toServiceError(late).code, 'unavailable', name);
  }
  const answer = await fetch(`${service.http}/${Groups.typeName}/${get.name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/proto', ...headers },
  });
  assert.deepEqual(
    [answer.status, ((await answer.json()) as { code: string }).code],
    [504, 'deadline_exceeded'],
  );
});
