import type { Buffer } from 'node:buffer';
import { unavailable } from '@bailiwick/errors';
import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from 'nats';
import { type Refusal, StorageFull, saysFull } from './storage.ts';

// Publishes to streams. The client's own `publish` makes a timer, an error with its stack and half a
// dozen promises for each message, and its socket writes follow the microtasks: several for one turn
// of the event loop. Only broker.ts calls this.

/** Runs the writes of one turn of the event loop together, so that they share a socket write. */
export type Writer = ReturnType<typeof createWriter>;

export function createWriter() {
  let waiting: Array<() => void> = [];
  function flush(): void {
    const writes = waiting;
    waiting = [];
    for (const write of writes) write();
  }
  return {
    /** `write` must not throw. */
    later(write: () => void): void {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push(write);
    },
    flush,
  };
}

/** The broker's answer to a stored message. */
export type Stored = { seq: number; duplicate: boolean };

export type Publications = ReturnType<typeof createPublications>;

type Publication = {
  sentAt: number;
  resolve: (stored: Stored) => void;
  reject: (error: unknown) => void;
};

/**
 * Stores messages in streams over one connection. One subscription receives all answers, and one
 * timer watches for the ones that do not come within `timeoutMs`, or up to a quarter later.
 */
export function createPublications(
  connection: NatsConnection,
  writer: Writer,
  { timeoutMs }: { timeoutMs: number },
) {
  const inbox = createInbox();
  /** By token, the oldest first. */
  const unanswered = new Map<string, Publication>();
  let count = 0;
  let watch: NodeJS.Timeout | undefined;

  connection.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      // Without the right to read answers, no publication gets one.
      if (error) return expire(Number.POSITIVE_INFINITY);
      const token = message.subject.slice(inbox.length + 1);
      take(token, (publication) => settle(publication, message));
    },
  });
  void connection.closed().then(() => expire(Number.POSITIVE_INFINITY));

  function take(token: string, end: (publication: Publication) => void): void {
    const publication = unanswered.get(token);
    if (!publication) return;
    unanswered.delete(token);
    end(publication);
  }

  function expire(before: number): void {
    for (const [token, { sentAt }] of unanswered) {
      if (sentAt > before) break;
      take(token, ({ reject }) => reject(unavailable('the broker did not answer')));
    }
    if (unanswered.size > 0) return;
    clearInterval(watch);
    watch = undefined;
  }

  return (subject: string, body: Buffer, headers: MsgHdrs): Promise<Stored> =>
    new Promise((resolve, reject) => {
      const token = (count++).toString(36);
      unanswered.set(token, { sentAt: performance.now(), resolve, reject });
      watch ??= setInterval(() => expire(performance.now() - timeoutMs), timeoutMs / 4);
      writer.later(() => {
        try {
          connection.publish(subject, body, { headers, reply: `${inbox}.${token}` });
        } catch (error) {
          // Too large, or the connection has been closed.
          take(token, () => reject(error));
        }
      });
    });
}

type Answer = { seq?: unknown; duplicate?: unknown; error?: Refusal };

function settle({ resolve, reject }: Publication, message: Msg): void {
  // The server itself answers without a body if no stream has the subject (status 503).
  if (message.data.length === 0) return reject(unavailable('no stream stores this subject'));
  const { seq, duplicate, error } = message.json<Answer>();
  if (typeof seq === 'number' && !error) return resolve({ seq, duplicate: duplicate === true });
  const problem = `the broker did not store a message: ${String(error?.description)}`;
  reject(error && saysFull(error) ? new StorageFull(problem) : new Error(problem));
}
