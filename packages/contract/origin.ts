import { type Caller, serviceCaller } from './caller.ts';
import type { RightsKey } from './rights-key.ts';

// The origin of work: a call, or a service itself. It is passed to everything that depends on it:
// transactions, records of changes, and calls to other services.

/** A client's call, as the limits on waiting see it. */
export type ClientCall = {
  /**
   * The caller's id; '' for calls that are not counted by caller: anonymous ones and those with the
   * platform key.
   */
  caller: string;
  /** How long the call waits for turns, as a performance.now() time. Set while it holds its turn. */
  waitsUntil?: number;
};

/** Decides whether the changes of a call may be committed. */
export type CommitGuard = {
  /**
   * The last step before a commit, or before a single statement that writes. `tenant`: where the
   * change is made, null = in none. The result is called when the commit has ended.
   * @throws ServiceError if the caller's right has ended
   */
  enter(tenant: string | null): Promise<() => void>;
};

/** The caller of a call, for the calls to other services that make its changes. */
export type Behalf = { caller: Caller; work: string };

/**
 * Marks a call with an Idempotency-Key as changed, with a statement in the change's transaction.
 * @throws ServiceError if another attempt has taken over the call
 */
export type Mark = (query: Query) => Promise<void>;
type Query = (
  statement: { name: string; text: string },
  values: readonly unknown[],
) => Promise<readonly unknown[]>;

/**
 * The call or the service that work is done for. No field is optional: only `serviceOrigin` and
 * `causedBy` make an origin without a guard, and leaving it out does not compile.
 */
export type Origin = {
  /** The name is "" if no operation caused the work. */
  operation: { name: string };
  caller: Caller;
  /** The permission that allows the call, for the audit. */
  permission: string;
  /**
   * Undefined for calls in a service's own name, queue tasks and background work: no client would
   * see a 429 and retry.
   */
  client: ClientCall | undefined;
  /** Undefined if no right can end meanwhile. */
  guard: CommitGuard | undefined;
  /** Undefined if the call makes no changes in a caller's name. */
  behalf: Behalf | undefined;
  /** Undefined without an Idempotency-Key. */
  mark: Mark | undefined;
  /**
   * The keys of caches that are revoked before the call's reply. Undefined for background work,
   * which revokes by itself or lets the caches learn it from the log.
   */
  invalidates: Set<RightsKey> | undefined;
};

/** The origin of work that a call has caused, and that goes on whatever becomes of its caller. */
export const causedBy = (call: Pick<Origin, 'operation' | 'caller' | 'permission'>): Origin => ({
  operation: call.operation,
  caller: call.caller,
  permission: call.permission,
  client: undefined,
  guard: undefined,
  behalf: undefined,
  mark: undefined,
  invalidates: undefined,
});

/**
 * The origin of work that a service does by itself. `operation` is "" if none caused it,
 * `requestId` if it belongs to no request.
 */
export const serviceOrigin = (service: string, operation = '', requestId = ''): Origin =>
  causedBy({
    operation: { name: operation },
    caller: serviceCaller(service, requestId),
    permission: '',
  });

/** The client call of a caller; undefined for a service or a worker. */
export function clientCallOf({ type, id }: Pick<Caller, 'type' | 'id'>): ClientCall | undefined {
  if (type === 'service' || type === 'worker') return undefined;
  return { caller: type === 'user' || type === 'bot' ? id : '' };
}
