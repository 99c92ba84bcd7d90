import { type Operation, type Rule, tenantField } from '@bailiwick/proto/operation.ts';
import { operationOf } from '@bailiwick/proto/registry.ts';
import { validate } from '@bailiwick/proto/validate.ts';
import {
  create,
  type DescMethodUnary,
  type DescService,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import { assertRecentLogin, type Caller } from './caller.ts';
import { answerSpan, countOperation, isCountedHere, rpcName } from './calls.ts';
import { clientCallOf, inClientCall } from './client-call.ts';
import {
  denied,
  type ErrorCode,
  invalid,
  isDeadToken,
  linkUnconfirmed,
  type ServiceError,
  ssoRequired,
  suspended,
  toServiceError,
  unauthenticated,
} from './errors.ts';
import { outsideIdempotentCall } from './idempotency/current.ts';
import type { Idempotency } from './idempotency/idempotency.ts';
import { isId } from './ids.ts';
import type { Log } from './log.ts';
import { cursorProblems } from './page.ts';
import { fieldText } from './request-fields.ts';
import { inRequest } from './request-id.ts';
import type { RightsKey } from './revocation.ts';
import { allows, fillTenant, tenantProblems } from './rules.ts';
import { inSpan } from './trace.ts';

// The pipeline every call passes through, whichever entrance it came by: trace, log, error rewrite, caller,
// audit of refusals, validation from proto and the service's checks, authorization from the operation's option, handler.

/** What a handler knows of its call besides the request. */
export type Call = {
  operation: Operation;
  caller: Caller;
  /** The rule that allows the call; a `handler` rule is the handler's to check. */
  allowedBy: Rule | undefined;
  /** The permission that allowed it, for the audit. */
  permission: string;
  /** Ends when the caller's deadline has passed or it has gone. */
  signal: AbortSignal;
  /**
   * What rights the handler has changed: the reply waits until no gateway remembers the old ones, so that nothing
   * that was taken away works after it, and everything that was given does.
   */
  outdated: Set<RightsKey>;
};

/** One function for each rpc of a service: a forgotten one does not compile. */
export type Handlers<Service extends DescService> = {
  [Name in keyof Service['method']]: (
    request: MessageShape<Service['method'][Name]['input']>,
    call: Call,
  ) => Promise<MessageInitShape<Service['method'][Name]['output']>>;
};

/**
 * What the request alone is judged by and the proto files cannot say, since it is in a service's settings or tables: a
 * function for each rpc that has such rules. It also sees requests that fail other rules, says nothing of what is empty,
 * and what it says again is told once.
 */
export type Checks<Service extends DescService> = {
  [Name in keyof Service['method']]?: (
    request: MessageShape<Service['method'][Name]['input']>,
  ) => readonly string[] | Promise<readonly string[]>;
};

/**
 * Checks a `handler` rule before the stored answer of an earlier call with the same Idempotency-Key is returned, since the
 * handler, which checks it otherwise, does not run then. Needed where the rule asks for a permission, which can be taken away.
 */
export type ReplayChecks<Service extends DescService> = {
  [Name in keyof Service['method']]?: (
    request: MessageShape<Service['method'][Name]['input']>,
    call: Call,
  ) => Promise<unknown>;
};

type AnyHandler = (request: Message, call: Call) => Promise<Record<string, unknown>>;
type AnyCheck = (request: Message) => readonly string[] | Promise<readonly string[]>;
type AnyReplayCheck = (request: Message, call: Call) => Promise<unknown>;

type Route = {
  handler: AnyHandler;
  check: AnyCheck | undefined;
  replayCheck: AnyReplayCheck | undefined;
};

/** The handlers and checks of a process by rpc. */
export type Routes = ReadonlyMap<DescMethodUnary, Route>;

/** A service with its handlers and its checks. */
export type Served = readonly [
  service: DescService,
  handlers: unknown,
  checks?: unknown,
  replayChecks?: unknown,
];

/** Puts services together for a process. */
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

/** Ties handlers and checks to their service. Only its type parameter matters: it makes the compiler compare them. */
export function serve<Service extends DescService>(
  service: Service,
  handlers: Handlers<Service>,
  checks: Checks<Service> = {},
  replayChecks: ReplayChecks<Service> = {},
): Served {
  return [service, handlers, checks, replayChecks];
}

/** What goes beside the messages of a call. */
export type Exchange = {
  /** From the client; undefined = none was sent, or the operation takes none. */
  readonly idempotencyKey?: string | undefined;
  /** Set by the pipeline: the response is that of an earlier call with the same key. */
  replayed?: boolean;
};

export type Dispatch = ReturnType<typeof createDispatch>;

export type DispatchOptions = {
  routes: Routes;
  log: Log;
  /** Writes the audit entry of a call that was denied, or that came with a dead one-time token. */
  auditRefusal: (
    call: Pick<Call, 'operation' | 'caller' | 'permission'>,
    error: ServiceError,
    tenant: string,
  ) => Promise<void>;
  /** Resolves when nobody remembers the rights that hang on these keys. */
  revoke: (keys: readonly RightsKey[]) => Promise<void>;
  /** Runs a call that carries an Idempotency-Key. */
  idempotency: Idempotency;
  /** Called after every operation that may have changed something. */
  afterChange: () => void;
};

/** Runs calls. Throws ServiceError and nothing else. */
export function createDispatch({
  routes: table,
  log,
  auditRefusal,
  revoke,
  idempotency,
  afterChange,
}: DispatchOptions) {
  async function run(
    operation: Operation,
    request: Message,
    { caller, signal, exchange }: Circumstances,
  ): Promise<Message> {
    const { handler, check, replayCheck } = routeOf(operation);
    assertCredential(operation, caller);
    await assertValid(operation, request, caller, check);
    const call = { operation, caller, signal, ...authorize(operation, request, caller) };
    const work = async (): Promise<Message> => {
      const outdated = new Set<RightsKey>();
      try {
        return create(operation.method.output, await handler(request, { ...call, outdated }));
      } finally {
        // Also where the handler fails: it may have committed before.
        if (outdated.size > 0) await revoke([...outdated]);
      }
    };
    const key = exchange.idempotencyKey;
    if (key === undefined || !operation.takesIdempotencyKey) return outsideIdempotentCall(work);
    const checkReplay = async () =>
      void (await replayCheck?.(request, { ...call, outdated: new Set() }));
    const { response, replayed } = await idempotency(
      { operation, caller, request, key, checkReplay },
      work,
    );
    exchange.replayed = replayed;
    return response;
  }

  function routeOf(operation: Operation): Route {
    const route = table.get(operation.method);
    if (!route) throw new Error(`${operation.name} is not served here`);
    return route;
  }

  // A refusal by the credential, by a rule and by the handler all leave their entry.
  async function audit(
    operation: Operation,
    request: Message,
    caller: Caller,
    error: ServiceError,
  ): Promise<void> {
    const isDenied = error.code === 'permission_denied' && operation.credential !== 'none';
    if (caller.type === 'service' || !(isDenied || isDeadToken(error))) return;
    try {
      // A refusal by the credential comes before the shape is checked: what is no tenant's id names no tenant.
      const named = fieldText(operation, request, tenantField(operation));
      await auditRefusal(
        { operation, caller, permission: wantedPermission(operation) },
        error,
        isId('tnt', named) ? named : '',
      );
    } catch (failure) {
      log.error('a refusal could not be audited', { error: failure, requestId: caller.requestId });
      throw toServiceError(failure);
    }
  }

  const dispatch = async (
    method: DescMethodUnary,
    request: Message,
    circumstances: Circumstances,
  ): Promise<Message> => {
    const { caller, exchange } = circumstances;
    const operation = operationOf(method);
    // Part of a call that the gateway logs and counts.
    if (caller.judgeOnly)
      throw invalid(await shapeProblems(operation, request, routeOf(operation).check));
    const started = performance.now();
    let code: ErrorCode | 'ok' = 'ok';
    try {
      return await run(operation, request, circumstances);
    } catch (thrown) {
      const error = toServiceError(thrown);
      code = error.code;
      if (code === 'internal' || code === 'unavailable')
        log.error(`${operation.name} failed`, { error: thrown, requestId: caller.requestId });
      await audit(operation, request, caller, error);
      throw error;
    } finally {
      const took = performance.now() - started;
      if (isCountedHere(caller)) countOperation(operation.name, code, took / 1000);
      const ms = Math.round(took);
      if (isLogged(caller)) {
        const replayed = exchange.replayed ? { replayed: true } : {};
        log.info('call', {
          operation: operation.name,
          code,
          ms,
          actor: caller.id || caller.type,
          requestId: caller.requestId,
          ...replayed,
        });
      }
      if (operation.sideEffects) afterChange();
    }
  };
  return (
    method: DescMethodUnary,
    request: Message,
    caller: Caller,
    signal: AbortSignal,
    exchange: Exchange = {},
  ): Promise<Message> => {
    const work = () =>
      inSpan(rpcName(method), answerSpan(method, caller), () =>
        dispatch(method, request, { caller, signal, exchange }),
      );
    return inRequest(caller.requestId, () => inClientCall(clientCallOf(caller), work));
  };
}

type Circumstances = { caller: Caller; signal: AbortSignal; exchange: Exchange };

/** What services ask each other in their own name is part of a call that is logged. The gateway logs none itself. */
const isLogged = ({ type, id, requestId }: Caller): boolean =>
  requestId !== '' && (type !== 'service' || id === 'gateway');

function assertCredential({ credential, callers }: Operation, caller: Caller): void {
  if (credential === 'none') return;
  if (caller.type === 'anonymous') throw unauthenticated();
  if (credential === 'service') {
    if (caller.type !== 'service' || !callers.includes(caller.id))
      throw denied('this is for other services only');
    return;
  }
  // A worker's call without the permission is refused by the rule of the operation, like everybody's.
  if (credential === 'worker') return;
  const kinds = { session: ['user'], any: ['user', 'bot', 'platform'], bot: ['bot', 'platform'] }[
    credential
  ];
  if (!kinds.includes(caller.type))
    throw denied(
      credential === 'session'
        ? 'this needs a signed-in person'
        : 'this credential does not serve here',
    );
}

/** Every failed check of the shape: the rules of the proto file, and what the service adds to them. */
async function shapeProblems(
  { method }: Operation,
  request: Message,
  check: AnyCheck | undefined,
): Promise<string[]> {
  const messages = [...validate(method.input, request), ...cursorProblems(request)];
  return check ? [...messages, ...(await check(request))] : messages;
}

async function assertValid(
  operation: Operation,
  request: Message,
  caller: Caller,
  check: AnyCheck | undefined,
): Promise<void> {
  const messages = await shapeProblems(operation, request, check);
  messages.push(...tenantProblems(operation, request, caller));
  if (messages.length > 0) throw invalid([...new Set(messages)]);
  fillTenant(operation, request, caller);
}

function authorize(operation: Operation, request: Message, caller: Caller) {
  if (operation.allow.length === 0) return { allowedBy: undefined, permission: '' };
  const allowedBy = operation.allow.find((rule) => allows(rule, operation, request, caller));
  if (!allowedBy) throw refusalOf(operation, request, caller);
  if (operation.recentLogin) assertRecentLogin(caller);
  return { allowedBy, permission: 'permission' in allowedBy ? allowedBy.permission : '' };
}

function refusalOf(operation: Operation, request: Message, caller: Caller): ServiceError {
  const whole = { ...caller, limitedTo: '' };
  if (
    caller.limitedTo !== '' &&
    operation.allow.some((rule) => allows(rule, operation, request, whole))
  )
    return linkUnconfirmed();
  return tenantField(operation) === '' ? denied() : refusalIn(caller);
}

/** Active members of a tenant learn why it is shut to them; all others get the same answer as for a tenant that does not exist. */
function refusalIn({ ssoRequired: lacksSso, suspendedName }: Caller): ServiceError {
  if (suspendedName !== '') return suspended(suspendedName);
  return lacksSso ? ssoRequired() : denied();
}

/** What the audit says of a refused call: the first permission that would have allowed it. */
function wantedPermission(operation: Operation): string {
  const rule = operation.allow.find((candidate) => 'permission' in candidate);
  return rule && 'permission' in rule ? rule.permission : '';
}
