import { type Reason, ServiceError } from '@bailiwick/errors';

// Failures of the protocol (RFC 7644, section 3.12). The reason is the error type, which the gateway
// writes as scimType.

const problem = (reason: Reason) => (message: string) =>
  new ServiceError('invalid_argument', reason, message);

/** For a filter that cannot be read, or that has too many terms. */
export const invalidFilter = problem('SCIM_INVALID_FILTER');
/** For a body that does not have the structure of its message. */
export const invalidSyntax = problem('SCIM_INVALID_SYNTAX');
/** For the path of a PATCH that names no attribute. */
export const invalidPath = problem('SCIM_INVALID_PATH');
/** For a required value that is missing, or a value of another type. */
export const invalidValue = problem('SCIM_INVALID_VALUE');
/** For a PATCH whose path selects nothing. */
export const noTarget = problem('SCIM_NO_TARGET');
/** For a change that is not the directory's to make. */
export const mutability = problem('SCIM_MUTABILITY');
/** For a list that would read more rows than a call may. */
export const tooMany = problem('SCIM_TOO_MANY');
/** For a value that another resource has. */
export const uniqueness = (message: string) =>
  new ServiceError('already_exists', 'SCIM_UNIQUENESS', message);
/** For an If-Match of another version than the present one. */
export const staleVersion = () =>
  new ServiceError(
    'failed_precondition',
    'SCIM_VERSION',
    'the version of the resource does not match',
  );
