export {
  createRevoker,
  createRightsCache,
  type Loaded,
  leaseMs,
  type Revoke,
  type RightsCache,
  type RightsKey,
} from './revocation.ts';
