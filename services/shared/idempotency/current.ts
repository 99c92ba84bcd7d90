import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '../orm.ts';

/** Notes a change of the call in hand in the change's transaction. Throws if another attempt of the call has taken over. */
type MarkChanged = (em: EntityManager) => Promise<void>;

const current = new AsyncLocalStorage<MarkChanged | undefined>();

/** Runs the handler of a call that carries an Idempotency-Key. */
export const inIdempotentCall = <T>(mark: MarkChanged, work: () => Promise<T>): Promise<T> =>
  current.run(mark, work);

/** Undefined outside of calls that carry an Idempotency-Key. */
export const currentMark = (): MarkChanged | undefined => current.getStore();

/** Runs a call that carries none. In one process it may be made by one that does, whose changes are another service's. */
export const outsideIdempotentCall = <T>(work: () => Promise<T>): Promise<T> =>
  current.getStore() === undefined ? work() : current.run(undefined, work);
