export { createBatch } from './batch.ts';
export { hasOwnName, readsLike } from './brand-name.ts';
export { changedFields } from './changes.ts';
export { createCode, normaliseCode, randomText } from './codes.ts';
export { type Email, findEmail, normaliseEmail } from './email.ts';
export { createId, idFromHash, isId } from './ids.ts';
export {
  describeLogo,
  type Image,
  type LogoFacts,
  logoFields,
  logoProblem,
  maxLogoBytes,
  readLogo,
} from './image.ts';
export { readJwks } from './jwks.ts';
export {
  callerNetwork,
  createNetworks,
  homeNetwork,
  noNetwork,
  parseNetwork,
  plainAddress,
} from './networks.ts';
export { keyProblem, readPublicKey } from './public-keys.ts';
export {
  leadsToSignIn,
  type ReturnAddress,
  type ReturnRules,
  readReturnAddress,
  stillAllowed,
  withCode,
} from './return-address.ts';
export { timeAfter, timeOf } from './times.ts';
export { createToken, tokenHash, tokenKind } from './tokens.ts';
export { assertUnchanged, stale } from './unchanged.ts';
