/** The keys that rights depend on: revoking a key ends everything that rests on it. */
export type RightsKey =
  | `user:${string}`
  | `bot:${string}`
  | `credential:${string}`
  | `tenant:${string}`
  | `app:${string}`;
