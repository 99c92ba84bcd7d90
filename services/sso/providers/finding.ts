/** A result of the provider test, with a message that an administrator can act on. */
export type Finding = {
  /** The check's name in lower case: discovery, keys, redirect_address. */
  check: string;
  level: 'ok' | 'warning' | 'error';
  /** Contains no secret and no user's address. */
  message: string;
};
