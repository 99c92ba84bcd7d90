import process from 'node:process';
import { currentTraceId } from './trace.ts';

// One JSON object a line on standard output: what Kubernetes and every log shipper takes as it is.

export type LogFields = Record<string, unknown>;
export type Log = {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
};

let unwritten = '';

// A write to a pipe is a system call that waits for its end: under load one serves the lines of a turn of the event loop.
function writeSoon(line: string): void {
  if (unwritten === '') setImmediate(writeNow);
  unwritten += line;
}

function writeNow(): void {
  const text = unwritten;
  unwritten = '';
  if (text !== '') process.stdout.write(text);
}

// The last lines tell why a process ends.
process.on('exit', writeNow);

/** A log of one service. Whatever is done for a request has its trace id on the line. An `error` field may be any thrown value: it is written with its stack and causes. */
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

/** The text of a thrown value with its stack and causes. For the log only, never for a client. */
export function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const own = thrown.stack ?? `${thrown.name}: ${thrown.message}`;
  return thrown.cause === undefined ? own : `${own}\ncaused by: ${describe(thrown.cause)}`;
}
