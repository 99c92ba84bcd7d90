import { AsyncLocalStorage } from 'node:async_hooks';

// The id of the request that the current work belongs to. It follows calls between services and the
// events that the request causes, so that every audit entry names its request.

const current = new AsyncLocalStorage<string>();

/** Runs `work` as part of a request; '' = of none. */
export const inRequest = <T>(requestId: string, work: () => T): T => current.run(requestId, work);

/** The id of the current request, '' outside of any. */
export const currentRequestId = (): string => current.getStore() ?? '';
