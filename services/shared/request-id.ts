import { AsyncLocalStorage } from 'node:async_hooks';

// The id of the request that the work at hand belongs to. It follows calls between services and the events that are
// handled because of it, so that every audit entry names the request that caused it.

const current = new AsyncLocalStorage<string>();

/** Runs `work` as a part of a request; '' = of none. */
export const inRequest = <T>(requestId: string, work: () => T): T => current.run(requestId, work);

/** The id of the request at hand, '' outside of any. */
export const currentRequestId = (): string => current.getStore() ?? '';
