import { Buffer } from 'node:buffer';
import { generateKeyPairSync } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Caller } from '@bailiwick/contract';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { routes } from '@bailiwick/pipeline';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import {
  callerHeader,
  createCallerSigner,
  createCallerVerifier,
  type Dispatch,
  listenRpc,
} from '@bailiwick/wire';
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';

// Both listeners of a service with the test's own pipeline, and a plain gRPC client.

export const ada = create(CallerSchema, {
  type: 'user',
  id: 'usr_ada',
  tenant: 'tnt_1',
  requestId: 'r1',
});

type Handle = (call: {
  method: DescMethodUnary;
  request: Message;
  caller: Caller;
  signal: AbortSignal;
}) => Promise<Record<string, unknown>>;

/** Serves Groups as `access`. The test's `handle` returns the fields of the answer. */
export async function serveGroups(
  t: TestContext,
  handle: Handle,
  ready: () => string | undefined = () => undefined,
) {
  const keys = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const dispatch: Dispatch = async (method, request, caller, signal) =>
    create(method.output, await handle({ method, request, caller, signal: signal() }));
  const listener = await listenRpc({
    host: loopback,
    port: 0,
    grpcPort: 0,
    routes: routes([
      Groups,
      Object.fromEntries(
        Groups.methods.map(({ localName }) => [localName, () => Promise.resolve({})]),
      ),
    ]),
    dispatch,
    verify: createCallerVerifier('access', new Map([['gateway', keys.publicKey]])),
    readiness: () => Promise.resolve(ready()),
  });
  let drained: Promise<void> | undefined;
  const drain = () => (drained ??= listener.drain());
  t.after(drain);
  const sign = createCallerSigner('gateway', keys.privateKey);
  return {
    ...listener,
    drain,
    sign,
    token: () => sign(ada, 'access'),
    http: `http://${loopback}:${listener.port}`,
    h2c: `http://${loopback}:${listener.grpcPort}`,
    target: `dns:///${loopback}:${listener.grpcPort}`,
  };
}

type Unary<I extends DescMessage, O extends DescMessage> = DescMethodUnary<I, O>;
type Options = { token?: string; deadlineMs?: number; signal?: AbortSignal };

/** A plain grpc-js client with protobuf-es messages. */
export function grpcClient(t: TestContext, address: string) {
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), {
    'grpc.enable_http_proxy': 0,
  });
  t.after(() => client.close());
  return {
    client,
    call<I extends DescMessage, O extends DescMessage>(
      method: Unary<I, O>,
      request: MessageInitShape<I>,
      options: Options = {},
    ): Promise<MessageShape<O>> {
      const metadata = new grpc.Metadata();
      if (options.token !== undefined) metadata.set(callerHeader, options.token);
      const deadline = Date.now() + (options.deadlineMs ?? 5000);
      return new Promise((resolve, reject) => {
        const call = client.makeUnaryRequest(
          `/${method.parent.typeName}/${method.name}`,
          (message: MessageShape<I>) => Buffer.from(toBinary(method.input, message)),
          (bytes) => fromBinary(method.output, bytes),
          create(method.input, request),
          metadata,
          { deadline },
          (error, answer) => (error ? reject(error) : resolve(answer as MessageShape<O>)),
        );
        options.signal?.addEventListener('abort', () => call.cancel());
      });
    },
  };
}
