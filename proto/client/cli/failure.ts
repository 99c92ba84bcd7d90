import {
  BailiwickError,
  CallTimeoutError,
  UnauthenticatedError,
  UnavailableError,
} from '../errors.ts';
import { printable } from './text.ts';

/** What a script can tell apart. */
export const exitCodes = {
  ok: 0,
  /** Refused by the service, or failed. */
  failed: 1,
  usage: 2,
  /** plan --detailed-exitcode: there is something to do. */
  pending: 3,
  unauthenticated: 4,
  /** Not reached, or no answer in time: it may work later. */
  unavailable: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A command line that cannot be meant. */
export class UsageError extends Error {}

/** A failure that is the user's to mend, in words and without a stack. */
export class Refusal extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code of a failure, and its lines. */
export function explain(error: unknown): { exitCode: ExitCode; lines: string[] } {
  if (error instanceof UsageError)
    return { exitCode: exitCodes.usage, lines: [error.message, 'bailiwick --help tells more'] };
  if (error instanceof Refusal)
    return { exitCode: error.exitCode, lines: error.message.split('\n') };
  if (error instanceof BailiwickError) {
    const request = error.RequestID === '' ? [] : [`request ${error.RequestID}`];
    const hint = error instanceof UnauthenticatedError ? ['bailiwick login signs in'] : [];
    return {
      exitCode: codeOf(error),
      lines: [
        ...error.Messages.map((message) => `${error.operation}: ${message}`),
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
  return exitCodes.failed;
}
