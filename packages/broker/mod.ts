export { type Broker, type BrokerMessage, isTooLarge, openBroker } from './broker.ts';
export { createCache } from './cache/cache.ts';
export type { Owner } from './owner.ts';
export { createGuards, type Guards } from './revocation/guard.ts';
export { keysOfCaller, type RightsKey } from './revocation/keys.ts';
export { entryMs, leaseMs } from './revocation/lease.ts';
export {
  type FollowLog,
  type Renewal,
  type RenewalAnswer,
  type RevocationLogs,
  revokersOf,
} from './revocation/logs.ts';
export { joinReports } from './revocation/reports.ts';
export {
  type Borrowers,
  createRightsCache,
  followRevocations,
  type Loaded,
  type LoanTerms,
  type Released,
  type RightsCache,
} from './revocation/revocation.ts';
export {
  createRevoker,
  type HolderReport,
  type Holders,
  type Revoke,
} from './revocation/revoker.ts';
export { brokerSettings } from './settings.ts';
export { watchStorage } from './storage-watch.ts';
export type { StreamName, StreamState } from './streams.ts';
