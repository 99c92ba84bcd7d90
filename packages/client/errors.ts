// The errors of a call. Their fields have the names of the interface's ErrorResponse.

/** The error codes of the interface. A newer service may send others. */
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

export type { ErrorReason, ErrorRule } from './gen/reasons.ts';

/** The values that a message contains, by name. */
export type ErrorParams = Readonly<Record<string, string>>;

/** A message of an invalid request, for programs. */
export type ErrorProblem = {
  /** The JSON path of the value, such as Users[0].Email; '' = the whole request. */
  readonly Field: string;
  /** See ErrorRule. A newer service may send others. */
  readonly Rule: string;
  readonly Params: ErrorParams;
};

export type Failure = {
  /** The operation that was called. */
  operation: string;
  /** The HTTP status; 0 = there was no response. */
  status: number;
  Code: string;
  /** Why, where several causes share a Code: see ErrorReason. A newer service may send others. */
  Reason?: string;
  /** One message for each failed check. */
  Messages: readonly string[];
  /** Values of the message by name, such as a limit. */
  Params?: ErrorParams;
  /** One for each of Messages, in their order; none for an older service. */
  Problems?: readonly ErrorProblem[];
  /** Identifies the call in the service's logs and in the audit. */
  RequestID: string;
  /** Seconds to wait before a retry, if the service sent them. */
  retryAfter?: number | undefined;
};

/** A failed call. `message` contains the operation and all Messages. */
export class BailiwickError extends Error {
  override readonly name: string = 'BailiwickError';
  readonly operation: string;
  readonly status: number;
  readonly Code: string;
  /** Why, where several causes share a Code, and '' otherwise: compare it, never the Messages. */
  readonly Reason: string;
  readonly Messages: readonly string[];
  /** Values of the message by name, such as a limit. docs/api.md lists them for each Reason. */
  readonly Params: ErrorParams;
  /** For an invalid request one for each of Messages, in their order; [] for other errors. */
  readonly Problems: readonly ErrorProblem[];
  readonly RequestID: string;
  readonly retryAfter: number | undefined;

  constructor(failure: Failure, options?: ErrorOptions) {
    const { operation, Code, Messages } = failure;
    super(`${operation}: ${Messages.join('; ') || Code}`, options);
    this.operation = operation;
    this.status = failure.status;
    this.Code = Code;
    this.Reason = failure.Reason ?? '';
    this.Messages = Messages;
    this.Params = failure.Params ?? {};
    this.Problems = failure.Problems ?? [];
    this.RequestID = failure.RequestID;
    this.retryAfter = failure.retryAfter;
  }
}

/** The request is invalid: see Messages and Problems. */
export class InvalidArgumentError extends BailiwickError {
  override readonly name = 'InvalidArgumentError';
}

/** The credential is missing, invalid, expired or revoked. */
export class UnauthenticatedError extends BailiwickError {
  override readonly name = 'UnauthenticatedError';
}

/** The caller lacks the permission. */
export class PermissionDeniedError extends BailiwickError {
  override readonly name = 'PermissionDeniedError';
}

/** A record of the request does not exist, or the caller may not see it. */
export class NotFoundError extends BailiwickError {
  override readonly name = 'NotFoundError';
}

/** The record exists already. */
export class AlreadyExistsError extends BailiwickError {
  override readonly name = 'AlreadyExistsError';
}

/** The current state does not allow the call, or a token was used already. */
export class FailedPreconditionError extends BailiwickError {
  override readonly name = 'FailedPreconditionError';
}

/** A rate limit was exceeded, even after the retries. */
export class ResourceExhaustedError extends BailiwickError {
  override readonly name = 'ResourceExhaustedError';
}

/** The service or a part of it cannot be reached. With status 0 the network error is the `cause`. */
export class UnavailableError extends BailiwickError {
  override readonly name = 'UnavailableError';
}

/** The operation is declared but not implemented yet. */
export class UnimplementedError extends BailiwickError {
  override readonly name = 'UnimplementedError';
}

/** An internal error of the service, or a response that is not from Bailiwick. */
export class InternalError extends BailiwickError {
  override readonly name = 'InternalError';
}

/** The call took longer than its `timeoutMs`. It is unknown whether it was executed. */
export class CallTimeoutError extends BailiwickError {
  override readonly name = 'CallTimeoutError';
}

const classes: Readonly<Record<ErrorCode, typeof BailiwickError>> = {
  invalid_argument: InvalidArgumentError,
  unauthenticated: UnauthenticatedError,
  permission_denied: PermissionDeniedError,
  not_found: NotFoundError,
  already_exists: AlreadyExistsError,
  failed_precondition: FailedPreconditionError,
  resource_exhausted: ResourceExhaustedError,
  unavailable: UnavailableError,
  unimplemented: UnimplementedError,
  internal: InternalError,
};

/** Creates the error class for the Code. */
export function errorOf(failure: Failure, options?: ErrorOptions): BailiwickError {
  const ErrorClass = Object.hasOwn(classes, failure.Code)
    ? classes[failure.Code as ErrorCode]
    : BailiwickError;
  return new ErrorClass(failure, options);
}
