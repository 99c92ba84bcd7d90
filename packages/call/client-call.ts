import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './caller.ts';

// The client call that the current work belongs to. Calls in a service's own name, queue tasks and
// background work belong to none: no client would see a 429 and retry.

export type ClientCall = {
  /**
   * The caller's id; '' for calls that are not counted by caller: anonymous ones and those with the
   * platform key.
   */
  caller: string;
  /** How long the call waits for turns, as a performance.now() time. Set by its first turn. */
  waitsUntil?: number;
};

const current = new AsyncLocalStorage<ClientCall | undefined>();

/** Runs `work` as part of a client's call; undefined = of none. */
export const inClientCall = <T>(call: ClientCall | undefined, work: () => T): T =>
  current.run(call, work);

/** The client call that the current work belongs to; undefined = none. */
export const currentClientCall = (): ClientCall | undefined => current.getStore();

/** The client call of a caller; undefined for a service or a worker. */
export function clientCallOf({ type, id }: Pick<Caller, 'type' | 'id'>): ClientCall | undefined {
  if (type === 'service' || type === 'worker') return undefined;
  return { caller: type === 'user' || type === 'bot' ? id : '' };
}
