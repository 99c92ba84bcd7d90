export {
  createRevoker,
  createRightsCache,
  followRevocations,
  type Loaded,
  leaseMs,
  type Revoke,
  type RightsCache,
  type RightsKey,
} from './revocation.ts';
