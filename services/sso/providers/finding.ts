/** What the test of a provider has found, in words that an administrator can act on. */
export type Finding = {
  /** What was looked at, in lower case: discovery, keys, redirect_address. */
  check: string;
  level: 'ok' | 'warning' | 'error';
  /** Holds no secret and no address of a person. */
  message: string;
};
