import { type Caller, type Origin, operationOf, serviceCaller } from '@bailiwick/contract';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import {
  create,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { type CallOptions, createClient, type Transport } from '@connectrpc/connect';
import { contextFor } from './rpc.ts';

/**
 * The client of another service. A call has the arguments of a handler: the request, and the call or
 * the service that it is made for.
 */
export type PeerClient<Service extends DescService> = {
  [Name in keyof Service['method']]: (
    request: MessageInitShape<Service['method'][Name]['input']>,
    origin: Origin,
    options?: Pick<CallOptions, 'signal' | 'timeoutMs'>,
  ) => Promise<MessageShape<Service['method'][Name]['output']>>;
};

/** The caller of a call that is made for an origin. */
type CallerFor = (origin: Origin, method: DescMethodUnary) => Caller;

/** Creates a client whose calls are made in a service's own name, as part of a request. */
export function createPeerClient<Service extends DescService>(
  service: Service,
  transport: Transport,
  name: string,
): PeerClient<Service> {
  return clientOf(service, transport, (origin) => ownCaller(name, origin));
}

/**
 * Creates a client whose calls make a part of the caller's own change: the other service commits
 * nothing either once the caller's right has ended.
 */
export function createBehalfClient<Service extends DescService>(
  service: Service,
  transport: Transport,
  name: string,
): PeerClient<Service> {
  return clientOf(service, transport, (origin, method) => {
    const own = ownCaller(name, origin);
    const behalf = operationOf(method).sideEffects ? origin.behalf : undefined;
    if (!behalf) return own;
    const caller = create(CallerSchema, { ...behalf.caller, requestId: '' });
    return { ...own, onBehalf: toBinary(CallerSchema, caller), work: behalf.work };
  });
}

const ownCaller = (name: string, { caller }: Origin): Caller =>
  serviceCaller(name, caller.requestId);

type Send = (request: unknown, options: CallOptions) => Promise<unknown>;

function clientOf<Service extends DescService>(
  service: Service,
  transport: Transport,
  callerFor: CallerFor,
): PeerClient<Service> {
  const client = createClient(service, transport) as unknown as Record<string, Send>;
  const calls = service.methods.map((method) => {
    const send = client[method.localName];
    if (!send || method.methodKind !== 'unary')
      throw new Error(`${service.typeName}.${method.name} is not a unary method`);
    const call = (request: unknown, origin: Origin, options?: CallOptions) =>
      send(request, {
        ...options,
        contextValues: contextFor(callerFor(origin, method as DescMethodUnary)),
      });
    return [method.localName, call];
  });
  // Each method of the service has its call, which the compiler cannot know.
  return Object.fromEntries(calls) as PeerClient<Service>;
}
