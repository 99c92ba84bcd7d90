import type { RightsKey } from '@bailiwick/broker';
import {
  asSupportedUser,
  authorize,
  type Caller,
  clientCallOf,
  fieldText,
  fillTenant,
  findProblems,
  isId,
  isNotedValid,
  type Mark,
  type Operation,
  operationOf,
  portalCaller,
  tenantField,
  tenantProblems,
  wantedPermission,
} from '@bailiwick/contract';
import {
  causesOf,
  denied,
  distinct,
  type ErrorCode,
  exhausted,
  invalid,
  isContended,
  isDeadToken,
  PoolBusy,
  type Problem,
  type ServiceError,
  supportRefused,
  toServiceError,
  unauthenticated,
} from '@bailiwick/errors';
import { inSpan, type Log } from '@bailiwick/process';
import { answerSpan, countOperation, type Exchange, isCountedHere, rpcName } from '@bailiwick/wire';
import { create, type DescMethodUnary, type Message } from '@bufbuild/protobuf';
import { type ChangeGuard, type GuardDeps, openChange } from './guarded.ts';
import type { AnyCheck, Call, Route, Routes } from './handlers.ts';
import type { Idempotency } from './idempotency/idempotency.ts';
import { cursorProblems } from './page.ts';
import type { Positions } from './positions.ts';

// The pipeline of every call, over any transport: trace, log, error mapping, caller, audit of
// denials, validation by the proto rules and the service's checks, authorization by the operation's
// option, handler.

/** Runs a call through the pipeline. @throws ServiceError */
export type Pipeline = ReturnType<typeof createDispatch>;

/** The service's parts for the pipeline. */
export type DispatchOptions = {
  routes: Routes;
  log: Log;
  /** Writes the audit entry of a call that was denied, or that used an invalid one-time token. */
  auditRefusal: (
    call: Pick<Call, 'operation' | 'caller' | 'permission'>,
    error: ServiceError,
    tenant: string,
  ) => Promise<void>;
  /**
   * Resolves when no gateway has rights under these keys in its cache, and no change of another call
   * that rests on them is being committed.
   */
  revoke: (keys: readonly RightsKey[], cause?: string) => Promise<unknown>;
  /** Runs a call that carries an Idempotency-Key. */
  idempotency: Idempotency;
  /** Lets a replica answer the lists of a caller whose changes it has. */
  positions: Positions;
  /** Holds back the changes of calls whose right has ended. */
  guarding: GuardDeps;
};

/** Creates the function that runs calls. It throws ServiceErrors only. */
export function createDispatch({
  routes: table,
  log,
  auditRefusal,
  revoke,
  idempotency,
  positions,
  guarding,
}: DispatchOptions) {
  const run = createRun({ revoke, idempotency, positions });
  const audit = createAudit({ log, auditRefusal });

  const dispatch = async (
    method: DescMethodUnary,
    request: Message,
    circumstances: Circumstances,
  ): Promise<Message> => {
    const { caller, exchange } = circumstances;
    const operation = operationOf(method);
    // A validate-only call is part of a call that the gateway logs and counts.
    if (caller.validateOnly)
      throw invalid(await shapeProblems(operation, request, routeOf(table, operation).check));
    const started = performance.now();
    let code: ErrorCode | 'ok' = 'ok';
    try {
      const response = await run(operation, request, routeOf(table, operation), circumstances);
      exchange.newPosition = await positions.ofChange(operation, caller);
      return response;
    } catch (thrown) {
      const error = errorFor(thrown, caller);
      code = error.code;
      if (code === 'internal' || code === 'unavailable')
        log.error(`${operation.name} failed`, { error: thrown, requestId: caller.requestId });
      await audit(operation, request, caller, error);
      throw error;
    } finally {
      const took = performance.now() - started;
      if (isCountedHere(caller)) countOperation(operation.name, code, took / 1000);
      if (isLogged(caller))
        log.info('call', fieldsOf(operation, { caller, exchange }, { code, took }));
    }
  };
  return (
    method: DescMethodUnary,
    request: Message,
    sentCaller: Caller,
    signal: () => AbortSignal,
    exchange: Exchange = {},
  ): Promise<Message> => {
    const caller = asSupportedUser(sentCaller);
    const change = openChange(guarding, operationOf(method), caller);
    return inSpan(rpcName(method), answerSpan(method, caller), () =>
      dispatch(method, request, { caller, signal, exchange, change }),
    ).finally(() => change?.end());
  };
}

/**
 * The error for the caller. A client that changes rows together with many others, or finds every
 * connection to the database in use, gets 429. Services get `unavailable`, which they retry.
 */
function errorFor(thrown: unknown, caller: Caller): ServiceError {
  if (clientCallOf(caller) !== undefined) {
    if (isContended(thrown))
      return exhausted('too many concurrent changes of the same records, try again', 1);
    if (causesOf(thrown).some((cause) => cause instanceof PoolBusy))
      return exhausted('too many concurrent calls, try again', 1);
  }
  return toServiceError(thrown);
}

const fieldsOf = (
  { name }: Operation,
  { caller, exchange }: Pick<Circumstances, 'caller' | 'exchange'>,
  { code, took }: { code: string; took: number },
) => ({
  operation: name,
  code,
  ms: Math.round(took),
  actor: caller.id || caller.type,
  ...(caller.clientId !== '' && { client: caller.clientId }),
  ...(caller.operator !== '' && { operator: caller.operator }),
  requestId: caller.requestId,
  ...(exchange.replayed && { replayed: true }),
});

function routeOf(table: Routes, operation: Operation): Route {
  const route = table.get(operation.method);
  if (!route) throw new Error(`${operation.name} is not served here`);
  return route;
}

/** Checks and authorizes a call, and runs its handler: once for an Idempotency-Key. */
function createRun({
  revoke,
  idempotency,
  positions,
}: Pick<DispatchOptions, 'revoke' | 'idempotency' | 'positions'>) {
  return async (
    operation: Operation,
    request: Message,
    { handler, check, replayCheck }: Route,
    { caller: sentCaller, signal, exchange, change }: Circumstances,
  ): Promise<Message> => {
    assertCredential(operation, sentCaller);
    const caller = (await change?.caller()) ?? sentCaller;
    await assertValid(operation, request, caller, check);
    const { allowedBy, permission } = authorize(operation, request, caller);
    if (caller.type !== 'service') change?.authorized(request, allowedBy);
    const makeCall = (mark?: Mark): Call => ({
      operation,
      caller,
      allowedBy,
      permission,
      reader: positions.readerOf(operation, exchange.positions),
      // A getter: few handlers need the signal.
      get signal() {
        return signal();
      },
      invalidates: new Set(),
      client: clientCallOf(caller),
      guard: change?.guard,
      behalf: change?.behalf,
      mark,
    });
    const work = async (mark?: Mark): Promise<Message> => {
      const call = makeCall(mark);
      try {
        return create(operation.method.output, await handler(request, call));
      } finally {
        // Revokes even if the handler fails: it may have committed before.
        if (call.invalidates.size > 0) await revoke([...call.invalidates], change?.work);
      }
    };
    const key = exchange.idempotencyKey;
    if (key === undefined || !operation.takesIdempotencyKey) return work();
    const checkReplay = async () => void (await replayCheck?.(request, makeCall()));
    const { response, replayed } = await idempotency(
      { operation, caller, request, key, checkReplay },
      work,
    );
    exchange.replayed = replayed;
    return response;
  };
}

/** Audits denials by credential, by rule and by handler alike. */
function createAudit({ log, auditRefusal }: Pick<DispatchOptions, 'log' | 'auditRefusal'>) {
  return async (
    operation: Operation,
    request: Message,
    caller: Caller,
    error: ServiceError,
  ): Promise<void> => {
    const isDenied = error.code === 'permission_denied' && operation.credential !== 'none';
    if (caller.type === 'service' || !(isDenied || isDeadToken(error))) return;
    try {
      // The credential is checked before the shape, so the tenant field may not hold an id yet.
      const named = fieldText(operation, request, tenantField(operation));
      const call = { operation, caller, permission: wantedPermission(operation) };
      const tenant = isId('tnt', named) ? named : ownTenantOf(caller);
      await auditRefusal(call, error, tenant);
    } catch (failure) {
      log.error('auditing a denied call failed', { error: failure, requestId: caller.requestId });
      throw toServiceError(failure);
    }
  };
}

/** A denial of a portal session concerns the tenant of its link. */
const ownTenantOf = ({ type, tenant }: Caller): string => (type === portalCaller ? tenant : '');

type Circumstances = {
  caller: Caller;
  signal: () => AbortSignal;
  exchange: Exchange;
  /** Undefined for a call that changes nothing, or whose right cannot end. */
  change: ChangeGuard;
};

/**
 * Calls between services are part of a call that is already logged. The gateway does not log its
 * own.
 */
const isLogged = ({ type, id, requestId }: Caller): boolean =>
  requestId !== '' && type !== 'worker' && (type !== 'service' || id === 'gateway');

function assertCredential(operation: Operation, caller: Caller): void {
  const { credential, callers, accessToken } = operation;
  if (credential === 'none') return;
  if (caller.type === 'anonymous') throw unauthenticated();
  if (caller.operator !== '' && !operation.supportSession) throw supportRefused();
  if (accessToken === 'refused' && caller.clientId !== '')
    throw denied('this operation does not accept access tokens');
  if (credential === 'service') {
    if (caller.type !== 'service' || !callers.includes(caller.id))
      throw denied('only services may call this operation');
    return;
  }
  // The operation's rule denies a worker without the permission.
  if (credential === 'worker') return;
  const kinds = {
    session: ['user'],
    any: ['user', 'bot', 'platform'],
    bot: ['bot', 'platform'],
    portal: [portalCaller],
  }[credential];
  if (!kinds.includes(caller.type))
    throw denied(
      credential === 'session'
        ? 'this operation requires the session of a user'
        : 'this operation does not accept this credential',
    );
}

/** All problems of a request's shape: by the rules of the proto file and the service's checks. */
async function shapeProblems(
  { method }: Operation,
  request: Message,
  check: AnyCheck | undefined,
): Promise<Array<string | Problem>> {
  const failures = isNotedValid(request) ? [] : findProblems(method.input, request);
  const messages = [...failures, ...cursorProblems(request)];
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
  if (messages.length > 0) throw invalid(distinct(messages));
  fillTenant(operation, request, caller);
}
