import {
  type ErrorDetail,
  ErrorDetailSchema,
} from '@bailiwick/proto/gen/bailiwick/common/v1/error_pb.ts';
import { Code, ConnectError } from '@connectrpc/connect';
import { asProblem, isRule, type Params, type Problem } from './problems.ts';
import { isPublicReason, isReason, publicParams, type Reason } from './reasons.ts';

/** The codes of the API's ErrorResponse. */
export type ErrorCode =
  | 'invalid_argument'
  | 'unauthenticated'
  | 'permission_denied'
  | 'not_found'
  | 'already_exists'
  | 'failed_precondition'
  | 'resource_exhausted'
  | 'unavailable'
  | 'unimplemented'
  | 'internal';

/** The HTTP status that the gateway sends for each code. */
export const httpStatus: Record<ErrorCode, number> = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 400,
  already_exists: 400,
  failed_precondition: 400,
  resource_exhausted: 429,
  unimplemented: 400,
  unavailable: 500,
  internal: 500,
};

const connectCodes: Record<ErrorCode, Code> = {
  invalid_argument: Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  permission_denied: Code.PermissionDenied,
  not_found: Code.NotFound,
  already_exists: Code.AlreadyExists,
  failed_precondition: Code.FailedPrecondition,
  resource_exhausted: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  unimplemented: Code.Unimplemented,
  internal: Code.Internal,
};
const errorCodes = new Map(
  Object.entries(connectCodes).map(([name, code]) => [code, name as ErrorCode]),
);

/** The messages of an error: texts or, for programs too, problems. */
export type Messages = string | Problem | ReadonlyArray<string | Problem>;

/** A failure whose messages the caller may see. All other errors become `internal`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** The word that programs compare beside the code: '' where the code says it all. */
  readonly reason: Reason | '';
  /** All messages. `message` is the first. */
  readonly messages: readonly string[];
  /** One for each message of an invalid request; none for other errors. */
  readonly problems: readonly Problem[];
  /** The values that the message contains, by the names that reasons.ts lists for the reason. */
  readonly params: Params;
  /** In seconds, for resource_exhausted. */
  readonly retryAfter: number;

  constructor(
    code: ErrorCode,
    reason: Reason | '',
    messages: Messages,
    retryAfter = 0,
    params: Params = {},
  ) {
    const problems = [messages].flat().map(asProblem);
    super(problems[0]?.text ?? code);
    this.name = 'ServiceError';
    this.code = code;
    this.reason = reason;
    this.messages = problems.map(({ text }) => text);
    this.problems = code === 'invalid_argument' ? problems : [];
    this.params = params;
    this.retryAfter = retryAfter;
  }
}

/** For a malformed request, with all its problems. */
export const invalid = (messages: Messages, reason: Reason | '' = '', params: Params = {}) =>
  new ServiceError('invalid_argument', reason, messages, 0, params);
/** For a call without a valid credential. */
export const unauthenticated = (
  message = 'a valid credential is required',
  reason: Reason | '' = '',
) => new ServiceError('unauthenticated', reason, message);
/** For a caller without the permission. */
export const denied = (
  message = 'permission denied',
  reason: Reason | '' = '',
  params: Params = {},
) => new ServiceError('permission_denied', reason, message, 0, params);
/** For a caller who lost rights while the call ran. Nothing was changed. */
export const rightsChanged = () =>
  denied('the rights of the caller were reduced during the call', 'RIGHTS_CHANGED');
/** For a caller who would grant a permission that it does not hold. */
export const escalation = (lacking: string) =>
  denied(`this would grant ${lacking}, which the caller does not hold`, 'ESCALATION', {
    Permission: lacking,
  });
/** For a sensitive change after a sign-in that is too old. */
export const recentLoginRequired = () => denied('recent login required', 'RECENT_LOGIN_REQUIRED');
/** For members only: others must not learn that the tenant exists. */
export const ssoRequired = () =>
  denied('this organisation requires single sign-on', 'SSO_REQUIRED');
/** For members only, like ssoRequired: in a session from a provider of the platform. */
export const methodRefused = () =>
  denied('this organisation does not accept social sign-in', 'METHOD_REFUSED', {
    Method: 'social',
  });
/** For members only, like ssoRequired: in a session from a provider of another tenant. */
export const providerRefused = () =>
  denied(
    'this organisation does not accept the sign-in of another organisation',
    'METHOD_REFUSED',
    {
      Method: 'organisation',
    },
  );
/** For members only, like ssoRequired. */
export const factorRequired = () => denied('second factor required', 'FACTOR_REQUIRED');
/** For active members of the tenant only. */
export const suspended = (tenantName: string) =>
  denied(`tenant ${tenantName} is suspended`, 'TENANT_SUSPENDED', { Tenant: tenantName });
/** For sessions limited to one tenant (see caller.limited_to). */
export const linkUnconfirmed = () =>
  denied(
    'this session holds rights in one organisation only, until you confirm with an older credential that its sign-in belongs to your account: see Users_ConfirmIdentity',
    'LINK_UNCONFIRMED',
  );
/** In a session whose provider was changed by a caller who may grant less than its user holds. */
export const providerUnconfirmed = () =>
  denied(
    'the identity provider of this session was changed and is not confirmed: an administrator who may grant everything can confirm it with Sso_ConfirmProvider, or sign in with a password or a passkey',
    'PROVIDER_UNCONFIRMED',
  );
/** For a right that would outlast the caller's own. */
export const temporaryRight = (permission: string, end: Date) => {
  const until = end.toISOString();
  return denied(
    `the caller holds ${permission} until ${until}: it can be granted until then at the latest`,
    'TEMPORARY_RIGHT',
    { Permission: permission, Until: until },
  );
};
/** In a support session, for an operation that is the user's own. */
export const supportRefused = () =>
  denied('this operation is not available in a support session', 'SUPPORT_ACCESS');
/** For an access token without one of these scopes. */
export const scopeMissing = (scopes: readonly string[]) => {
  const alternatives = scopes.join(' or ');
  return denied(
    `this operation requires an access token with the scope ${alternatives}`,
    'SCOPE_MISSING',
    {
      Scopes: alternatives,
    },
  );
};

export const otherTenant = () =>
  denied('this access token is for one organisation only', 'OTHER_TENANT');

/** For a missing record: `notFound('group')` reads "group not found". */
export const notFound = (what: string) => new ServiceError('not_found', '', `${what} not found`);
/** For a record that would exist twice. */
export const alreadyExists = (message: string, reason: Reason | '' = '') =>
  new ServiceError('already_exists', reason, message);
/** For a state that does not allow the call. */
export const failedPrecondition = (
  message: string,
  reason: Reason | '' = '',
  params: Params = {},
) => new ServiceError('failed_precondition', reason, message, 0, params);
/** For one record more than a limit allows. The message contains the limit. */
export const limitReached = (message: string, limit: number) =>
  failedPrecondition(message, 'LIMIT_REACHED', { Limit: String(limit) });
const deadTokenReason = 'DEAD_TOKEN';
/** For any one-time token that is unknown, used or expired. The message does not say which. */
export const deadToken = () => failedPrecondition('the token is no longer valid', deadTokenReason);
/** Whether the error is one of {@link deadToken}. */
export const isDeadToken = ({ reason }: ServiceError): boolean => reason === deadTokenReason;
/** For a caller over a limit. `retryAfter` is in seconds. */
export const exhausted = (
  message: string,
  retryAfter: number,
  reason: Reason | '' = '',
  params: Params = {},
) => new ServiceError('resource_exhausted', reason, message, retryAfter, params);
/** For a dependency that is away: a retry may succeed. */
export const unavailable = (message = 'the service is temporarily unavailable') =>
  new ServiceError('unavailable', '', message);

/**
 * A call with a caller token that this process refuses. The calling process is at fault and never
 * its client, so it is no `unauthenticated`.
 */
export class CallerRefusal extends ServiceError {
  /** The time of this process, in ms since 1970, so that the caller can compare clocks. */
  readonly at = Date.now();

  constructor(problem: string) {
    super('unavailable', '', problem);
    this.name = 'CallerRefusal';
  }
}

/** Why and when a service has refused the caller token of a call; undefined for other errors. */
export function callerRefusalIn(error: ConnectError): { problem: string; at: number } | undefined {
  const detail = error.findDetails(ErrorDetailSchema)[0];
  if (!detail || detail.callerRefusedAtMs === 0n) return undefined;
  return { problem: detail.messages[0] ?? '', at: Number(detail.callerRefusedAtMs) };
}

/**
 * Converts any thrown value to what a caller may see: a ServiceError unchanged, the rest without
 * details.
 */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof ConnectError) return fromConnectError(thrown);
  if (isTransient(thrown)) return unavailable();
  return new ServiceError('internal', '', 'internal error');
}

const problemRecords = (problems: readonly Problem[]) =>
  problems.map(({ field, rule, params }) => ({ field, rule, params: { items: { ...params } } }));

/** What the API shows of an error beside a record, with the fields of an ErrorResponse. */
export const errorRecord = ({
  code,
  reason,
  message,
  messages,
  params,
  problems,
}: ServiceError) => ({
  code,
  messages: [...messages],
  reason: isPublicReason(reason) ? reason : '',
  params: { items: publicParams(reason, message, params) },
  problems: problemRecords(problems),
});

/** The wire form of an error in calls between processes. */
export function toConnectError(error: ServiceError): ConnectError {
  const detail = {
    desc: ErrorDetailSchema,
    value: {
      reason: error.reason,
      messages: [...error.messages],
      params: { ...error.params },
      problems: problemRecords(error.problems),
      retryAfter: error.retryAfter,
      callerRefusedAtMs: BigInt(error instanceof CallerRefusal ? error.at : 0),
    },
  };
  return new ConnectError(error.message, connectCodes[error.code], undefined, [detail]);
}

function fromConnectError(error: ConnectError): ServiceError {
  const detail: ErrorDetail | undefined = error.findDetails(ErrorDetailSchema)[0];
  const code = errorCodes.get(error.code);
  // An error without a detail comes from the transport, and its text is not for clients.
  if (!code || !detail)
    return error.code === Code.Internal && !isTransient(error)
      ? new ServiceError('internal', '', 'internal error')
      : unavailable();
  return new ServiceError(
    code,
    isReason(detail.reason) ? detail.reason : '',
    messagesIn(detail),
    detail.retryAfter,
    detail.params,
  );
}

/** The messages with their problems. An older process sends texts, a newer one also other rules. */
const messagesIn = ({ messages, problems }: ErrorDetail): Messages =>
  messages.map((text, index) => {
    const { field = '', rule = '', params } = problems[index] ?? {};
    return isRule(rule) ? { text, field, rule, params: params?.items ?? {} } : text;
  });

/** Whether a dependency is unavailable, for however long: the work itself is not at fault. */
export const isOutage = (thrown: unknown): boolean =>
  toServiceError(thrown).code === 'unavailable' && !hasCode(thrown, tooLong);

// Node's socket errors, a call that a service has not answered, PostgreSQL's classes 08 (connection),
// 53 (resources) and 57P0x (shutdown), 25006, a read-only server during a failover, and a disk
// without room.
const connectionFailures =
  /^(ENOSPC|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|UND_ERR_.*|BAILIWICK_NO_RESPONSE|08...|53...|57P0.|25006)$/;

// A deadlock, a lock that took too long, or a serialization failure.
const contended = /^(40P01|55P03|40001)$/;
// These, or a statement that took too long: a retry may succeed or never succeed.
const tooLong = /^(40P01|55P03|40001|57014)$/;

/** An error and its chain of causes: libraries wrap the driver's own error. */
export function causesOf(thrown: unknown): Array<Error & { code?: unknown; constraint?: unknown }> {
  const causes: Error[] = [];
  for (let error = thrown; error instanceof Error && causes.length < 5; error = error.cause)
    causes.push(error);
  return causes;
}

/** Every connection of a service to its database stayed in use while a statement waited for one. */
export class PoolBusy extends Error {
  constructor(cause: unknown) {
    super('every connection to the database is in use', { cause });
  }
}

const hasCode = (thrown: unknown, codes: RegExp): boolean =>
  causesOf(thrown).some(({ code }) => typeof code === 'string' && codes.test(code));

/** Whether changes of the same rows at the same time caused an error of the database. */
export const isContended = (thrown: unknown): boolean => hasCode(thrown, contended);

const cutConnection =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

const isTransient = (thrown: unknown): boolean =>
  hasCode(thrown, connectionFailures) ||
  hasCode(thrown, tooLong) ||
  causesOf(thrown).some(({ message }) => cutConnection.test(message));
