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
  serviceCaller,
  supportCaller,
} from './caller.ts';
export { moment } from './example-moment.ts';
export { idempotencyKeyHeader, isIdempotencyKey, replayedHeader } from './idempotency-headers.ts';
export type { IdPrefix, TokenKind } from './identifiers.ts';
export { decodeJson } from './json/decode.ts';
export { encodeJson, type JsonObject } from './json/encode.ts';
export { type Limit, type LimitProfile, perMinute, unlimited } from './limit-profile.ts';
export { type Host, jsonPath, type Operation, type Rule, tenantField } from './operation.ts';
export {
  type Behalf,
  type CommitGuard,
  causedBy,
  clientCallOf,
  type Mark,
  type Origin,
  serviceOrigin,
} from './origin.ts';
export { accountScope, common, includes, isPlatformOnly } from './permission-patterns.ts';
export {
  hasPermission,
  joinBitmaps,
  type Permission,
  permissionBitmap,
  permissionDescriptions,
  permissions,
} from './permissions.ts';
export {
  type Assurance,
  assurances,
  type MailLimit,
  mailLimits,
  platformPlace,
  recentLoginMs,
} from './policies.ts';
export { arePositions, positionHeader } from './position-header.ts';
export { operationOf, operations } from './registry.ts';
export { fieldText, setField } from './request-fields.ts';
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
  sessionCheckOf,
  sessionTimes,
  tokenRefusal,
} from './session-check.ts';
export { type SessionProof, sessionProof } from './session-proof.ts';
export { oneLine } from './shown-text.ts';
export {
  addressChange,
  invitationProof,
  signInCode,
  type TaskOperation,
  taskLanes,
} from './tasks.ts';
export { botTokenSeconds } from './token-lifetimes.ts';
export { findProblems, isNotedValid, noteValid, validate } from './validate.ts';
export { createBatch } from './values/batch.ts';
export { hasOwnName, readsLike } from './values/brand-name.ts';
export { changedFields } from './values/changes.ts';
export { createCode, normaliseCode, randomText } from './values/codes.ts';
export { type Email, findEmail, normaliseEmail } from './values/email.ts';
export { createId, idFromHash, isId, timeOfId } from './values/ids.ts';
export {
  describeLogo,
  type Image,
  type LogoFacts,
  logoFields,
  logoProblem,
  readLogo,
} from './values/image.ts';
export { readJwks } from './values/jwks.ts';
export {
  callerNetwork,
  createNetworks,
  homeNetwork,
  noNetwork,
  parseNetwork,
  plainAddress,
} from './values/networks.ts';
export { keyProblem, readPublicKey } from './values/public-keys.ts';
export {
  leadsToSignIn,
  type ReturnAddress,
  type ReturnRules,
  readReturnAddress,
  stillAllowed,
  withCode,
} from './values/return-address.ts';
export { durationOf, lastsOf, timeAfter, timeOf } from './values/times.ts';
export { createToken, tokenHash, tokenKind } from './values/tokens.ts';
export { assertUnchanged, stale } from './values/unchanged.ts';
export { within } from './values/within.ts';
export { joinVouchers, readVoucher, voucherOf } from './voucher.ts';
