export { createGuards, type GuardedCall, type Guards } from './guard.ts';
export { keysOfCaller, type RightsKey } from './keys.ts';
export { leaseMs } from './lease.ts';
export {
  createRevoker,
  createRightsCache,
  followRevocations,
  type Loaded,
  type Revoke,
  type RightsCache,
} from './revocation.ts';
