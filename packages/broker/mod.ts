export { type Broker, type BrokerMessage, isTooLarge, openBroker } from './broker.ts';
export { createCache } from './cache/cache.ts';
export type { Owner } from './owner.ts';
export { createGuards, type Guards } from './revocation/guard.ts';
export { keysOfCaller, type RightsKey } from './revocation/keys.ts';
export { leaseMs } from './revocation/lease.ts';
export {
  createRevoker,
  createRightsCache,
  followRevocations,
  type Loaded,
  type Revoke,
  type RightsCache,
} from './revocation/revocation.ts';
export { brokerSettings } from './settings.ts';
export { watchStorage } from './storage-watch.ts';
export type { StreamName, StreamState } from './streams.ts';
