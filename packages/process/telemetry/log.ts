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
 * Codes of a database, a broker or a service that is away for now, or has no room: of Node, undici and
 * PostgreSQL.
 */
const awayCodes =
  /^(ENOSPC|53100|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_.*|08...|57P0.)$/;

/** Messages of node-postgres that have no code. */
const cutConnection = /^(Connection terminated|timeout exceeded when trying to connect)/;

/** One line of an error that says that something is away; undefined for every other error. */
function awayLine(thrown: unknown): string | undefined {
  const messages: string[] = [];
  let isAway = false;
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    messages.push(error.message || error.name);
    isAway ||= awayCodes.test(String((error as { code?: unknown }).code));
    isAway ||= cutConnection.test(error.message);
  }
  return isAway ? messages.join(': ').replaceAll(/\s+/g, ' ') : undefined;
}

/** Milliseconds in which the same line about an absence is written once. */
const sameLineMs = 30_000;
/** For all other lines. */
const written = { isDue: true, leftOut: 0 } as const;
/** Different lines that are remembered. */
const mostLines = 100;

/**
 * Tells whether a line about an absence is written now, and how many like it were left out since the
 * last one. Every retry of every loop would write one otherwise.
 */
function createRepeats() {
  const lines = new Map<string, { at: number; leftOut: number }>();
  return (key: string): { isDue: boolean; leftOut: number } => {
    const now = performance.now();
    const last = lines.get(key);
    if (last && now - last.at < sameLineMs) {
      last.leftOut++;
      return { isDue: false, leftOut: 0 };
    }
    if (lines.size >= mostLines) lines.clear();
    lines.set(key, { at: now, leftOut: 0 });
    return { isDue: true, leftOut: last?.leftOut ?? 0 };
  };
}

/**
 * A service's log. Lines written within a request carry its trace id. An `error` field may be any
 * thrown value: it is written with its stack and causes. A warning about a database, broker or service
 * that is away has one line without a stack, and the same one is written every 30 seconds at most:
 * `leftOut` counts the others.
 */
export function createLog(service: string, write: (line: string) => void = writeSoon): Log {
  const repeats = createRepeats();
  const emit =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      const { error, ...rest } = fields;
      const away = level === 'warn' ? awayLine(error) : undefined;
      const { isDue, leftOut } = away === undefined ? written : repeats(`${message} ${away}`);
      if (!isDue) return;
      const traceId = currentTraceId() || undefined;
      const line = {
        time: new Date().toISOString(),
        level,
        service,
        message,
        traceId,
        ...rest,
        ...(leftOut > 0 && { leftOut }),
        ...(error === undefined ? {} : { error: away ?? describe(error) }),
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
