// The public face of the package.

export {
  type AccessClient,
  type Checked,
  type CheckedOptions,
  checked,
  type Question,
} from './checked.ts';
export { InvalidProofError, InvalidTokenError, UnavailableError } from './errors.ts';
export { expressGuard } from './express.ts';
export { fastifyGuard } from './fastify.ts';
export { type Follower, type FollowerOptions, follower } from './follower/follower.ts';
export type { Rights } from './follower/rights.ts';
export type { FollowerState } from './follower/route.ts';
export { callerOf, type GuardOptions, type RequireOptions } from './guard.ts';
export { honoGuard } from './hono.ts';
export { holds, inScope } from './permissions.ts';
export type { ProvenRequest } from './proofs.ts';
export {
  type AccessToken,
  type VerifiedToken,
  type Verifier,
  type VerifierOptions,
  verifier,
} from './verifier.ts';
export { verifyWebhook, type WebhookHeaders } from './webhook.ts';
