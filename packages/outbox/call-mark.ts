import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@bailiwick/store';

/**
 * Marks the current call as changed, in the change's transaction. Throws if another attempt has
 * taken over the call.
 */
type MarkChanged = (em: EntityManager) => Promise<void>;

const current = new AsyncLocalStorage<MarkChanged | undefined>();

/** Runs the handler of a call that carries an Idempotency-Key. */
export const inIdempotentCall = <T>(mark: MarkChanged, work: () => Promise<T>): Promise<T> =>
  current.run(mark, work);

/** The mark of the current call; undefined if it has no Idempotency-Key. */
export const currentMark = (): MarkChanged | undefined => current.getStore();

/**
 * Runs a call without an Idempotency-Key. In a single process it may be nested in a call that has
 * one, but its changes belong to another service.
 */
export const outsideIdempotentCall = <T>(work: () => Promise<T>): Promise<T> =>
  current.getStore() === undefined ? work() : current.run(undefined, work);
