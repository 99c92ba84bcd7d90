import process from 'node:process';
import { currentTraceId } from './trace.ts';

// Writes one JSON object a line to standard output, which Kubernetes and log shippers collect as it
// is.

type LogFields = Record<string, unknown>;
/** Writes one JSON object a line. */
export type Log = {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
};

let unwritten = '';

/** How long a line waits for others. Short enough for a reader who follows the log. */
const waitMs = 10;
/** More is written at once: a pipe takes as much in one go. */
const maxUnwritten = 64 * 1024;

// A write to a pipe is a blocking system call that wakes its reader: one write serves all lines of
// a moment.
function writeSoon(line: string): void {
  if (unwritten === '') setTimeout(writeNow, waitMs).unref();
  unwritten += line;
  if (unwritten.length >= maxUnwritten) writeNow();
}

function writeNow(): void {
  const text = unwritten;
  unwritten = '';
  if (text !== '') process.stdout.write(text);
}

// The last lines explain why a process exits.
process.on('exit', writeNow);

/**
 * A service's log. Lines written within a request carry its trace id. An `error` field may be any
 * thrown value: it is written with its stack and causes.
 */
export function createLog(service: string, write: (line: string) => void = writeSoon): Log {
  const emit =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      const { error, ...rest } = fields;
      const traceId = currentTraceId() || undefined;
      const line = {
        time: new Date().toISOString(),
        level,
        service,
        message,
        traceId,
        ...rest,
        ...(error === undefined ? {} : { error: describe(error) }),
      };
      write(`${JSON.stringify(line)}\n`);
    };
  return { info: emit('info'), warn: emit('warn'), error: emit('error') };
}

/** A thrown value as text, with stack and causes. For the log only, never for a client. */
export function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const own = thrown.stack ?? `${thrown.name}: ${thrown.message}`;
  return thrown.cause === undefined ? own : `${own}\ncaused by: ${describe(thrown.cause)}`;
}
