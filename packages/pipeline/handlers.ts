import type { RightsKey } from '@bailiwick/broker';
import type { Operation, Origin, Rule } from '@bailiwick/contract';
import type { Problem } from '@bailiwick/errors';
import type { Reader } from '@bailiwick/store';
import type {
  DescMethodUnary,
  DescService,
  Message,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';

// A service gives the pipeline a handler for each rpc, and its checks.

/** The context of a call for its handler. */
export type Call = Origin & {
  operation: Operation;
  /** The rule that allows the call. The handler itself checks a `handler` rule. */
  allowedBy: Rule | undefined;
  /** Reads the lists of an operation that a replica may answer. Otherwise as the database. */
  reader: Reader;
  /** Aborts when the caller's deadline has passed or the caller is gone. */
  signal: AbortSignal;
  /**
   * The keys of cached rights that the call has changed. The reply waits until every gateway has
   * dropped them: after it, revoked rights never work and granted rights always do. A recorded change
   * adds them by its event, and `recordRevocation` adds those of a change without one. A handler that
   * ends rights adds them even if it finds them ended: an earlier call may still wait for the caches.
   */
  invalidates: Set<RightsKey>;
};

/** One handler for each rpc of a service. A missing one is a compile error. */
export type Handlers<Service extends DescService> = {
  [Name in keyof Service['method']]: (
    request: MessageShape<Service['method'][Name]['input']>,
    call: Call,
  ) => Promise<MessageInitShape<Service['method'][Name]['output']>>;
};

/**
 * Validation that proto files cannot express, since it depends on a service's settings or tables:
 * one function for each rpc that needs it. It also runs for requests that fail other rules, must
 * accept empty fields, and duplicates of other problems are dropped.
 */
export type Checks<Service extends DescService> = {
  [Name in keyof Service['method']]?: (
    request: MessageShape<Service['method'][Name]['input']>,
  ) => CheckResult | Promise<CheckResult>;
};

type CheckResult = ReadonlyArray<string | Problem>;

/**
 * Checks a `handler` rule before a stored response is replayed for an Idempotency-Key, since the
 * handler does not run then. Needed if the rule requires a permission, which may have been revoked.
 */
export type ReplayChecks<Service extends DescService> = {
  [Name in keyof Service['method']]?: (
    request: MessageShape<Service['method'][Name]['input']>,
    call: Call,
  ) => Promise<unknown>;
};

export type AnyHandler = (request: Message, call: Call) => Promise<Record<string, unknown>>;
export type AnyCheck = (request: Message) => CheckResult | Promise<CheckResult>;
type AnyReplayCheck = (request: Message, call: Call) => Promise<unknown>;

export type Route = {
  handler: AnyHandler;
  check: AnyCheck | undefined;
  replayCheck: AnyReplayCheck | undefined;
};

/** The handlers and checks of a process, by rpc. */
export type Routes = ReadonlyMap<DescMethodUnary, Route>;

/** A service with its handlers and its checks. */
export type Served = readonly [
  service: DescService,
  handlers: unknown,
  checks?: unknown,
  replayChecks?: unknown,
];

/** Combines the services of a process. */
export function routes(...served: readonly Served[]): Routes {
  const table = new Map<DescMethodUnary, Route>();
  for (const [service, handlers, checks = {}, replayChecks = {}] of served) {
    for (const method of service.methods) {
      const handler = (handlers as Record<string, AnyHandler | undefined>)[method.localName];
      const check = (checks as Record<string, AnyCheck | undefined>)[method.localName];
      const replayCheck = (replayChecks as Record<string, AnyReplayCheck | undefined>)[
        method.localName
      ];
      if (!handler || method.methodKind !== 'unary')
        throw new Error(`no handler for ${service.typeName}.${method.name}`);
      table.set(method as DescMethodUnary, { handler, check, replayCheck });
    }
  }
  return table;
}

/** Handlers that are loaded later: each call waits for them. */
export const deferredHandlers = <Service extends DescService>(
  service: Service,
  load: () => Promise<Handlers<Service>>,
): Handlers<Service> =>
  Object.fromEntries(
    service.methods.map(({ localName }) => [
      localName,
      async (request: Message, call: Call) => {
        const handlers = (await load()) as unknown as Record<string, AnyHandler | undefined>;
        const handler = handlers[localName];
        if (!handler) throw new Error(`no handler for ${service.typeName}.${localName}`);
        return handler(request, call);
      },
    ]),
  ) as unknown as Handlers<Service>;

/**
 * Binds handlers and checks to their service. The type parameter makes the compiler compare them.
 */
export function serve<Service extends DescService>(
  service: Service,
  handlers: Handlers<Service>,
  checks: Checks<Service> = {},
  replayChecks: ReplayChecks<Service> = {},
): Served {
  return [service, handlers, checks, replayChecks];
}
