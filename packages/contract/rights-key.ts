/**
 * The keys that rights depend on: revoking a key ends everything that rests on it. `account`: what a
 * user sees of the own account besides rights.
 */
export type RightsKey =
  | `user:${string}`
  | `bot:${string}`
  | `credential:${string}`
  | `tenant:${string}`
  | `app:${string}`
  | `account:${string}`;
