import {
  BailiwickError,
  CallTimeoutError,
  NotFoundError,
  UnauthenticatedError,
  UnavailableError,
} from '../client/errors.ts';
import { printable } from './text.ts';

/** The exit codes, which scripts can rely on. */
export const exitCodes = {
  ok: 0,
  /** Rejected by the service, or failed. */
  failed: 1,
  usage: 2,
  /** plan --detailed-exitcode: changes are pending. */
  pending: 3,
  unauthenticated: 4,
  /** Unreachable, or no response in time: a retry can succeed. */
  unavailable: 5,
  /** A record of the request does not exist, or the caller may not see it. */
  notFound: 6,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An invalid command line. */
export class UsageError extends Error {}

/** An error that the user can fix. It is printed without a stack. */
export class Refusal extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code of an error, and the lines to print. */
export function explain(error: unknown): { exitCode: ExitCode; lines: string[] } {
  if (error instanceof UsageError)
    return { exitCode: exitCodes.usage, lines: [error.message, 'see bailiwick --help'] };
  if (error instanceof Refusal)
    return { exitCode: error.exitCode, lines: error.message.split('\n').map(printable) };
  if (error instanceof BailiwickError) {
    const reason = error.Reason === '' ? [] : [`reason ${error.Reason}`];
    const request = error.RequestID === '' ? [] : [`request ${error.RequestID}`];
    const hint = error instanceof UnauthenticatedError ? ['sign in with bailiwick login'] : [];
    return {
      exitCode: codeOf(error),
      lines: [
        ...error.Messages.map((message) => `${error.operation}: ${message}`),
        ...reason,
        ...request,
        ...hint,
      ].map(printable),
    };
  }
  return {
    exitCode: exitCodes.failed,
    lines: [error instanceof Error ? error.message : String(error)],
  };
}

function codeOf(error: BailiwickError): ExitCode {
  if (error instanceof UnauthenticatedError) return exitCodes.unauthenticated;
  if (error instanceof UnavailableError || error instanceof CallTimeoutError)
    return exitCodes.unavailable;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  return exitCodes.failed;
}
