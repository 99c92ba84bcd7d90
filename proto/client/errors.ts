// What a call can fail with. The fields have the names of the interface's ErrorResponse.

/** The codes of the interface. A newer service may know more. */
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

export type Failure = {
  /** The operation that was called. */
  operation: string;
  /** The HTTP status; 0 = there was no answer. */
  status: number;
  Code: string;
  /** Every failed check, in words. */
  Messages: readonly string[];
  /** Names the call in the service's logs and in the audit. */
  RequestID: string;
  /** Seconds to wait, where the service says so. */
  retryAfter?: number | undefined;
};

/** A call that failed. `message` has the operation and all Messages. */
export class BailiwickError extends Error {
  override readonly name: string = 'BailiwickError';
  readonly operation: string;
  readonly status: number;
  readonly Code: string;
  readonly Messages: readonly string[];
  readonly RequestID: string;
  readonly retryAfter: number | undefined;

  constructor(
    { operation, status, Code, Messages, RequestID, retryAfter }: Failure,
    options?: ErrorOptions,
  ) {
    super(`${operation}: ${Messages.join('; ') || Code}`, options);
    this.operation = operation;
    this.status = status;
    this.Code = Code;
    this.Messages = Messages;
    this.RequestID = RequestID;
    this.retryAfter = retryAfter;
  }
}

/** The request does not hold: see Messages. */
export class InvalidArgumentError extends BailiwickError {
  override readonly name = 'InvalidArgumentError';
}

/** No credential, or one that is not alive. */
export class UnauthenticatedError extends BailiwickError {
  override readonly name = 'UnauthenticatedError';
}

/** A valid caller without the permission. */
export class PermissionDeniedError extends BailiwickError {
  override readonly name = 'PermissionDeniedError';
}

/** A record of the request is not there, or not for this caller. */
export class NotFoundError extends BailiwickError {
  override readonly name = 'NotFoundError';
}

/** There is one already. */
export class AlreadyExistsError extends BailiwickError {
  override readonly name = 'AlreadyExistsError';
}

/** Not in the present state, or a token that was used. */
export class FailedPreconditionError extends BailiwickError {
  override readonly name = 'FailedPreconditionError';
}

/** Too much at once, also after the retries. */
export class ResourceExhaustedError extends BailiwickError {
  override readonly name = 'ResourceExhaustedError';
}

/** The service, or a part of it, cannot be reached: with status 0 the network's own error is the `cause`. */
export class UnavailableError extends BailiwickError {
  override readonly name = 'UnavailableError';
}

/** Declared, and not implemented yet. */
export class UnimplementedError extends BailiwickError {
  override readonly name = 'UnimplementedError';
}

/** A failure of the service, or an answer that is not one of Bailiwick's. */
export class InternalError extends BailiwickError {
  override readonly name = 'InternalError';
}

/** The call took longer than its `timeoutMs`. Whether it arrived is not known. */
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

/** The error of the class that belongs to its Code. */
export function errorOf(failure: Failure, options?: ErrorOptions): BailiwickError {
  const known = Object.hasOwn(classes, failure.Code)
    ? classes[failure.Code as ErrorCode]
    : BailiwickError;
  return new known(failure, options);
}
