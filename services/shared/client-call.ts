import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './caller.ts';

// The client's own call that the work at hand belongs to. Calls in a service's own name, tasks of the queue and background work
// belong to none: a 429 would reach no client that could repeat them.

export type ClientCall = {
  /** Who calls; '' where calls are not counted by caller: anonymous ones, and those of the platform key. */
  caller: string;
  /** Until when the call waits for turns, in the time of performance.now(). Set by the first turn that it takes. */
  waitsUntil?: number;
};

const current = new AsyncLocalStorage<ClientCall | undefined>();

/** Runs `work` as a part of a client's call; undefined = of none. */
export const inClientCall = <T>(call: ClientCall | undefined, work: () => T): T =>
  current.run(call, work);

export const currentClientCall = (): ClientCall | undefined => current.getStore();

/** The call that a caller makes; undefined for a service or a worker. */
export function clientCallOf({ type, id }: Pick<Caller, 'type' | 'id'>): ClientCall | undefined {
  if (type === 'service' || type === 'worker') return undefined;
  return { caller: type === 'user' || type === 'bot' ? id : '' };
}
