import type { Operation, Rule } from '@bailiwick/proto/operation.ts';
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
import { reflect } from '@bufbuild/protobuf/reflect';
import { assertRecentLogin, type Caller, holdsInTenant, holdsOnPlatform } from './caller.ts';
import { answerSpan, isCountedHere, operationSeconds, rpcName } from './calls.ts';
import {
  denied,
  invalid,
  type ServiceError,
  ssoRequired,
  toServiceError,
  unauthenticated,
} from './errors.ts';
import { isId } from './ids.ts';
import type { Log } from './log.ts';
import type { RightsKey } from './revocation.ts';
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

type AnyHandler = (request: Message, call: Call) => Promise<Record<string, unknown>>;
type AnyCheck = (request: Message) => readonly string[] | Promise<readonly string[]>;

type Route = { handler: AnyHandler; check: AnyCheck | undefined };

/** The handlers and checks of a process by rpc. */
export type Routes = ReadonlyMap<DescMethodUnary, Route>;

/** A service with its handlers and its checks. */
export type Served = readonly [service: DescService, handlers: unknown, checks?: unknown];

/** Puts services together for a process. */
export function routes(...served: readonly Served[]): Routes {
  const table = new Map<DescMethodUnary, Route>();
  for (const [service, handlers, checks = {}] of served) {
    for (const method of service.methods) {
      const handler = (handlers as Record<string, AnyHandler | undefined>)[method.localName];
      const check = (checks as Record<string, AnyCheck | undefined>)[method.localName];
      if (!handler || method.methodKind !== 'unary')
        throw new Error(`no handler for ${service.typeName}.${method.name}`);
      table.set(method as DescMethodUnary, { handler, check });
    }
  }
  return table;
}

/** Ties handlers and checks to their service. Only its type parameter matters: it makes the compiler compare them. */
export function serve<Service extends DescService>(
  service: Service,
  handlers: Handlers<Service>,
  checks: Checks<Service> = {},
): Served {
  return [service, handlers, checks];
}

export type Dispatch = ReturnType<typeof createDispatch>;

export type DispatchOptions = {
  routes: Routes;
  log: Log;
  /** Writes the audit entry of a call that was refused. */
  auditRefusal: (
    call: Pick<Call, 'operation' | 'caller' | 'permission'>,
    error: ServiceError,
    tenant: string,
  ) => Promise<void>;
  /** Resolves when nobody remembers the rights that hang on these keys. */
  revoke: (keys: readonly RightsKey[]) => Promise<void>;
  /** Called after every operation that may have changed something. */
  afterChange: () => void;
};

/** Runs calls. Throws ServiceError and nothing else. */
export function createDispatch({
  routes: table,
  log,
  auditRefusal,
  revoke,
  afterChange,
}: DispatchOptions) {
  async function run(
    operation: Operation,
    request: Message,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Message> {
    const { handler, check } = routeOf(operation);
    assertCredential(operation, caller);
    await assertValid(operation, request, caller, check);
    const outdated = new Set<RightsKey>();
    try {
      const response = await handler(request, {
        operation,
        caller,
        signal,
        outdated,
        ...authorize(operation, request, caller),
      });
      return create(operation.method.output, response);
    } finally {
      // Also where the handler fails: it may have committed before.
      if (outdated.size > 0) await revoke([...outdated]);
    }
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
    if (
      error.code !== 'permission_denied' ||
      operation.credential === 'none' ||
      caller.type === 'service'
    )
      return;
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
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Message> => {
    const operation = operationOf(method);
    // Part of a call that the gateway logs and counts.
    if (caller.judgeOnly)
      throw invalid(await shapeProblems(operation, request, routeOf(operation).check));
    const started = performance.now();
    let code = 'ok';
    try {
      return await run(operation, request, caller, signal);
    } catch (thrown) {
      const error = toServiceError(thrown);
      code = error.code;
      if (code === 'internal' || code === 'unavailable')
        log.error(`${operation.name} failed`, { error: thrown, requestId: caller.requestId });
      await audit(operation, request, caller, error);
      throw error;
    } finally {
      const took = performance.now() - started;
      if (isCountedHere(caller))
        operationSeconds.record(took / 1000, { operation: operation.name, code });
      // What services ask each other in their own name has no request: it is part of one that is logged.
      const ms = Math.round(took);
      if (caller.requestId !== '')
        log.info('call', {
          operation: operation.name,
          code,
          ms,
          actor: caller.id || caller.type,
          requestId: caller.requestId,
        });
      if (operation.sideEffects) afterChange();
    }
  };
  return (
    method: DescMethodUnary,
    request: Message,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Message> =>
    inSpan(rpcName(method), answerSpan(method, caller), () =>
      dispatch(method, request, caller, signal),
    );
}

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
  const messages = validate(method.input, request);
  return check ? [...messages, ...(await check(request))] : messages;
}

async function assertValid(
  operation: Operation,
  request: Message,
  caller: Caller,
  check: AnyCheck | undefined,
): Promise<void> {
  const messages = await shapeProblems(operation, request, check);
  if (operation.defaultTenant && fieldText(operation, request, operation.defaultTenant) === '') {
    if (caller.tenant) setField(operation, request, operation.defaultTenant, caller.tenant);
    else messages.push('Tenant is required');
  }
  if (messages.length > 0) throw invalid([...new Set(messages)]);
}

function authorize(operation: Operation, request: Message, caller: Caller) {
  if (operation.allow.length === 0) return { allowedBy: undefined, permission: '' };
  const allowedBy = operation.allow.find((rule) => allows(rule, operation, request, caller));
  if (!allowedBy)
    throw caller.ssoRequired && tenantField(operation) !== '' ? ssoRequired() : denied();
  if (operation.recentLogin) assertRecentLogin(caller);
  return { allowedBy, permission: 'permission' in allowedBy ? allowedBy.permission : '' };
}

/** What the audit says of a refused call: the first permission that would have allowed it. */
function wantedPermission(operation: Operation): string {
  const rule = operation.allow.find((candidate) => 'permission' in candidate);
  return rule && 'permission' in rule ? rule.permission : '';
}

function allows(rule: Rule, operation: Operation, request: Message, caller: Caller): boolean {
  switch (rule.kind) {
    case 'self':
      return (
        caller.type === 'user' &&
        (rule.field === 'caller' || isSelf(fieldText(operation, request, rule.field), caller))
      );
    case 'tenant':
      return holdsInTenant(caller, rule.permission, fieldText(operation, request, rule.field));
    case 'platform':
      return (
        holdsOnPlatform(caller, rule.permission) &&
        (rule.without === '' || fieldText(operation, request, rule.without) === '')
      );
    case 'handler':
      return true;
  }
}

const isSelf = (value: string, caller: Caller) =>
  value !== '' && (value === caller.id || value === caller.email);

/** The proto path of the field that names an operation's tenant, "" where it has none. */
export function tenantField(operation: Operation): string {
  const rule = operation.allow.find((candidate) => candidate.kind === 'tenant');
  return rule?.kind === 'tenant' ? rule.field : '';
}

/** The text in a request's field, "" where it or a record on the way is absent. */
export function fieldText(operation: Operation, request: Message, path: string): string {
  if (path === '') return '';
  let at = reflect(operation.method.input, request);
  const names = path.split('.');
  for (const name of names.slice(0, -1)) {
    const field = at.desc.fields.find((candidate) => candidate.name === name);
    if (field?.fieldKind !== 'message' || !at.isSet(field)) return '';
    at = at.get(field);
  }
  const field = at.desc.fields.find((candidate) => candidate.name === names.at(-1));
  const value: unknown = field && at.get(field);
  return typeof value === 'string' ? value : '';
}

function setField(operation: Operation, request: Message, path: string, value: string): void {
  let at = reflect(operation.method.input, request);
  const names = path.split('.');
  for (const name of names.slice(0, -1)) {
    const field = at.desc.fields.find((candidate) => candidate.name === name);
    if (field?.fieldKind === 'message') at = at.get(field);
  }
  const field = at.desc.fields.find((candidate) => candidate.name === names.at(-1));
  if (field) at.set(field, value);
}
