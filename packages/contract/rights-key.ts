/**
 * The keys that rights depend on: revoking a key ends everything that rests on it. `account`: what a
 * user sees of the own account besides rights. `issuer:keys`: the keys that sign access tokens.
 */
export type RightsKey =
  | `user:${string}`
  | `bot:${string}`
  | `credential:${string}`
  | `tenant:${string}`
  | `app:${string}`
  | `account:${string}`
  | 'issuer:keys';
