import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { serviceCaller } from '@bailiwick/contract';
import { toServiceError } from '@bailiwick/errors';
import { createLog, type Mounted } from '@bailiwick/process';
import { AccessLimits } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { IdentityLimits } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { create, type DescMethodUnary } from '@bufbuild/protobuf';
import { createCallerSigner } from './caller-tokens.ts';
import { createOwnTokens } from './own-tokens.ts';
import { contextFor } from './rpc.ts';
import { createHttpTransport } from './rpc-http.ts';
import { listenForCalls, type Service } from './run.ts';

const log = createLog('test', () => {});
const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const keys = new Map([['notifications', publicKey]]);
const callerPublicKeys: Mounted<ReadonlyMap<string, string>> = {
  path: '',
  content: keys,
  read: () => keys,
};

/** A service that notes its calls. */
function noting(method: DescMethodUnary, isCalled = true) {
  const calls: string[] = [];
  const service: Service = {
    routes: new Map([[method, undefined]]),
    dispatch: (called) => {
      calls.push(called.parent.name);
      return Promise.resolve(create(called.output));
    },
    isCalled,
    ready: async () => {},
    concerns: () => [],
    stop: async () => {},
  };
  return { service, calls };
}

const listening = (services: Record<string, Service>) =>
  listenForCalls(
    new Map(Object.entries(services)),
    { host: '127.0.0.1', port: 0, grpcPort: 0, callerPublicKeys },
    { tls: undefined, log, tokens: createOwnTokens(log) },
    async () => {},
  );

test('one port takes the calls of all services of a process, each with a token for its own service', async (t) => {
  const identity = noting(IdentityLimits.method.take);
  const access = noting(AccessLimits.method.take);
  const listener = await listening({ identity: identity.service, access: access.service });
  assert.ok(listener);
  t.after(() => listener.drain());
  const url = `http://127.0.0.1:${listener.port}`;
  const sign = createCallerSigner('notifications', privateKey);
  const call = async (audience: string, method: DescMethodUnary) => {
    const transport = createHttpTransport({ url, audience, sign });
    const caller = contextFor(serviceCaller('notifications'));
    try {
      await transport.unary(method, undefined, 5000, undefined, {}, caller);
      return 'answered';
    } catch (error) {
      return toServiceError(error).code;
    } finally {
      await transport.close();
    }
  };
  assert.equal(await call('access', AccessLimits.method.take), 'answered');
  assert.equal(await call('identity', IdentityLimits.method.take), 'answered');
  assert.equal(await call('access', IdentityLimits.method.take), 'unavailable');
  assert.deepEqual([access.calls, identity.calls], [['AccessLimits'], ['IdentityLimits']]);
});

test('a process whose services take no calls opens no port', async () => {
  const { service } = noting(AccessLimits.method.take, false);
  assert.equal(await listening({ access: service }), undefined);
});
