export {
  createRevoker,
  createRightsCache,
  leaseMs,
  type RightsCache,
  type RightsKey,
} from './revocation.ts';
