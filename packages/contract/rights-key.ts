/**
 * The keys that rights depend on: revoking a key ends everything that rests on it. `account`: what a
 * user sees of the own account besides rights. `use`: a person's sign-ins to an app,
 * by user and app. `issuer:keys`: the keys that sign access tokens.
 */
export type RightsKey =
  | `user:${string}`
  | `bot:${string}`
  | `credential:${string}`
  | `tenant:${string}`
  | `app:${string}`
  | `account:${string}`
  | `use:${string}:${string}`
  | 'issuer:keys';
