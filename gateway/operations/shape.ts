import type { IncomingMessage } from 'node:http';
import {
  decodeJson,
  fieldText,
  findProblems,
  idempotencyKeyHeader,
  isIdempotencyKey,
  type Operation,
  serviceCaller,
  tenantField,
  validate,
} from '@bailiwick/contract';
import {
  distinct,
  invalid,
  isUnreadable,
  type Problem,
  problem,
  toServiceError,
} from '@bailiwick/errors';
import { contextFor } from '@bailiwick/wire';
import type { Message } from '@bufbuild/protobuf';
import type { JsonBody } from '../http/json-body.ts';
import { largeBodyBytes } from '../http/large-bodies.ts';
import type { Peers } from '../peers.ts';
import type { RequestOrigin } from '../session/authenticate.ts';

// The shape of a request: its JSON as the message of the operation, with all problems.

/** The treatment of a field that the operation does not have. */
export type UnknownKeys = 'refuse' | 'ignore';

const validateOnlyMs = 2000;

/** Decodes and validates a request. `problems` lists all failures of its shape. */
export function decode(
  operation: Operation,
  request: IncomingMessage,
  json: JsonBody['json'],
  unknownKeys: UnknownKeys,
) {
  const { input } = operation.method;
  const options = { assigned: operation.assigned, unknownKeys };
  const { message, problems, unreadable } = decodeJson(input, json, options);
  problems.push(...findProblems(input, message, unreadable));
  const key = keyOf(operation, request);
  if (key !== undefined && !isIdempotencyKey(key))
    problems.push(
      problem('', 'custom', 'Idempotency-Key must be 1 to 255 printable ASCII characters'),
    );
  const tenant = fieldText(operation, message, tenantField(operation));
  return { message, problems, unreadable, key, tenant };
}

type Decoded = ReturnType<typeof decode>;

/** The request's Idempotency-Key, or undefined without the header or if the operation ignores it. */
function keyOf(
  { takesIdempotencyKey }: Operation,
  { headers }: IncomingMessage,
): string | undefined {
  const key = takesIdempotencyKey ? headers[idempotencyKeyHeader] : undefined;
  return Array.isArray(key) ? key.join(', ') : key;
}

/** Rejects an invalid request with all its problems: those found here and those of the service. */
export function createRejection(peers: Peers) {
  const validateOnly = createValidateOnly(peers);
  return async (
    operation: Operation,
    { message, problems, unreadable }: Decoded,
    bytes: number,
    origin: RequestOrigin,
  ): Promise<never> => {
    // The decoded message lacks values that could not be read, so the service would report them as
    // missing.
    const messageProblems = new Set(validate(operation.method.input, message));
    // A large body would cost the service as much memory as it costs here, for a request that is
    // already rejected.
    const violations = bytes > largeBodyBytes ? [] : await validateOnly(operation, message, origin);
    const others = violations.filter(
      ({ text, field }) => !messageProblems.has(text) && !isUnreadable(field, unreadable),
    );
    throw invalid(distinct([...problems, ...others]));
  };
}

/**
 * Asks the owning service to validate a request that is already rejected: only the service knows
 * the rules in its settings and tables. If it does not respond in time, the client gets the
 * problems found so far.
 */
function createValidateOnly(peers: Peers) {
  return async (
    { host, method }: Operation,
    message: Message,
    { requestId }: RequestOrigin,
  ): Promise<readonly Problem[]> => {
    const context = contextFor({ ...serviceCaller('gateway'), requestId, validateOnly: true });
    try {
      await peers[host].unary(method, undefined, validateOnlyMs, undefined, message, context);
      return [];
    } catch (thrown) {
      return toServiceError(thrown).problems;
    }
  };
}
