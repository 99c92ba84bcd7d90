export {
  asSupportedUser,
  assertRecentLogin,
  type Caller,
  grantOf,
  holdsInTenant,
  holdsOnPlatform,
  isForAccount,
  newCaller,
  portalCaller,
  queueWorker,
  serviceCaller,
  supportCaller,
} from './caller.ts';
export { parsePrivateKey, parsePublicKeys } from './caller-keys.ts';
export {
  type CallerSigner,
  type CallerVerifier,
  callerHeader,
  createCallerSigner,
  createCallerVerifier,
  openCallerSigner,
  openCallerVerifier,
} from './caller-tokens.ts';
export {
  type Behalf,
  type CommitGuard,
  clientCallOf,
  currentBehalf,
  currentClientCall,
  currentGuard,
  inCall,
  inClientCall,
  unguarded,
} from './client-call.ts';
export { idempotencyKeyHeader, isIdempotencyKey, replayedHeader } from './idempotency-headers.ts';
export { fieldText, setField } from './request-fields.ts';
export { currentRequestId, inRequest } from './request-id.ts';
export type { RightsKey } from './rights-key.ts';
export {
  allows,
  authorize,
  fillTenant,
  sessionRefusal,
  tenantDependsOnCaller,
  tenantProblems,
  wantedPermission,
} from './rules.ts';
export {
  endWithin,
  recordLimits,
  refusalFlags,
  type SessionCheck,
  type SessionRefusal,
  type SessionTimes,
  sessionCheckOf,
  sessionTimes,
  tokenRefusal,
} from './session-check.ts';
export { type SessionProof, sessionProof } from './session-proof.ts';
export { joinVouchers, readVoucher, type Voucher, voucherOf } from './voucher.ts';
