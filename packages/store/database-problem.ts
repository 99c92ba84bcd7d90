import { causesOf } from '@bailiwick/errors';

/**
 * A failed connection with the configured URL. The message is one line for an operator, without
 * secrets.
 */
export class DatabaseProblem extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseProblem';
  }
}

/**
 * A database that this process must not use: another installation's, or one of an unsuitable
 * server. Waiting does not help.
 */
export class UnsuitableDatabase extends DatabaseProblem {
  constructor(message: string) {
    super(message);
    this.name = 'UnsuitableDatabase';
  }
}

const unknownHost = /^(ENOTFOUND|EAI_AGAIN)$/;
const noAnswer = /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|57P03)$/;
/** invalid_authorization_specification, invalid_password. */
const refusedLogin = /^28(000|P01)$/;
/** invalid_catalog_name. */
const noDatabase = '3D000';
/** invalid_parameter_value: of the settings of a session only the role may be missing. */
const noRole = '22023';

/** Explains why a connection to this URL failed, and what to do. */
export function connectionProblem(error: unknown, url: string): DatabaseProblem {
  const { host, hostname, port, username, pathname } = new URL(url);
  const at = port === '' ? `${host}:5432` : host;
  const codes = causesOf(error).flatMap(({ code }) => (typeof code === 'string' ? [code] : []));
  const has = (pattern: RegExp) => codes.some((code) => pattern.test(code));
  const text = () => {
    if (has(unknownHost)) return `the host ${hostname} is unknown; correct the host name`;
    if (has(refusedLogin))
      return `PostgreSQL at ${at} refuses the login of ${decodeURIComponent(username)}; correct the user name or the password`;
    if (codes.includes(noDatabase))
      return `the database ${decodeURIComponent(pathname.slice(1))} does not exist at ${at}; create it, or correct the database name`;
    if (codes.includes(noRole))
      return `a role of this installation does not exist at ${at}; run the migrations`;
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    if (has(noAnswer) || /timeout/i.test(message))
      return `no PostgreSQL answers at ${at}; start it, or correct the host and port`;
    return `connecting to PostgreSQL at ${at} failed: ${message}`;
  };
  return new DatabaseProblem(text(), { cause: error });
}
