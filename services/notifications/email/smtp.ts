import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';

// Pooled SMTP sessions. nodemailer's own pool has one time-out for all phases of a session and ends
// it without QUIT.

/** The longest duration of each phase, in milliseconds. */
export type PhaseLimits = {
  /** Each step until the greeting. */
  setUp: number;
  /** From MAIL FROM to the end of the content. */
  content: number;
  /** From there to the server's confirmation (RFC 5321 §4.5.3.2.6: ten minutes). */
  confirmation: number;
};

const phaseLimits: PhaseLimits = { setUp: 5000, content: 60_000, confirmation: 600_000 };
/** Below the five minutes that a server must wait for a command (RFC 5321 §4.5.3.2.7). */
const idleMs = 60_000;
const mailsPerSession = 100;
const quitMs = 2000;

export type Envelope = { from: string; to: string };
export type SmtpOptions = {
  url: string;
  /** The name in the greeting: a domain, or an address in brackets. */
  greetingName: string;
  sessions: number;
  limits?: PhaseLimits;
};

/** A failed mail. `contentSent`: the server has the content and may deliver it. */
export class SmtpError extends Error {
  readonly contentSent: boolean;
  constructor(cause: unknown, contentSent: boolean) {
    super('sending a mail failed', { cause });
    this.contentSent = contentSent;
  }
}

/** The recipient's address needs SMTPUTF8 (RFC 6531), which the server does not offer. */
export class NeedsSmtpUtf8 extends Error {}

type Session = { connection: SMTPConnection; takesUtf8: boolean; mails: number };

/** The name in a greeting for the host of a URL (RFC 5321 §4.1.3). */
export function greetingNameOf(publicUrl: string): string {
  const host = new URL(publicUrl).hostname;
  if (host.startsWith('[')) return `[IPv6:${host.slice(1, -1)}]`;
  return isIP(host) ? `[${host}]` : host;
}

/** Sends each mail over a session that no other mail uses. */
export function createSmtpSessions({
  url,
  greetingName,
  sessions,
  limits = phaseLimits,
}: SmtpOptions) {
  const { auth, ...target } = parseConnectionUrl(url) as SMTPConnection.Options & {
    auth?: SMTPConnection.Credentials;
  };
  const options: SMTPConnection.Options = {
    ...target,
    name: greetingName,
    connectionTimeout: limits.setUp,
    greetingTimeout: limits.setUp,
    dnsTimeout: limits.setUp,
    socketTimeout: limits.confirmation,
  };
  const idle = createIdleSessions();
  const places = createPlaces(sessions);
  const limitMs = limits.content;

  const open = () => openSession(options, auth);

  async function deliver(envelope: Envelope, content: string): Promise<void> {
    const session = idle.take() ?? (await open());
    if (!session.takesUtf8 && /[^\x20-\x7e]/.test(envelope.to)) {
      idle.keep(session);
      throw new NeedsSmtpUtf8();
    }
    const isReused = session.mails > 0;
    try {
      await transmit(session, { envelope, content, limitMs });
      idle.keep(session);
    } catch (error) {
      const isUsable = await reset(session, error);
      if (isUsable) idle.keep(session);
      // The server may have ended an idle session just now. It has not seen the mail.
      if (!isReused || isUsable || !isLostSession(error)) throw error;
      const fresh = await open();
      await transmit(fresh, { envelope, content, limitMs });
      idle.keep(fresh);
    }
  }

  return {
    async send(envelope: Envelope, content: string): Promise<void> {
      await places.take();
      try {
        await deliver(envelope, content);
      } finally {
        places.free();
      }
    },
    close: () => idle.close(),
  };
}

/** Lets a number of mails begin; the others wait in order. */
function createPlaces(count: number) {
  const waiting: Array<() => void> = [];
  let free = count;
  return {
    async take(): Promise<void> {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    free(): void {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}

/** Sessions between two mails. */
function createIdleSessions() {
  const timers = new Map<Session, NodeJS.Timeout>();
  let isClosed = false;
  return {
    /** A session that the server has not ended. */
    take(): Session | undefined {
      for (const [session, timer] of timers) {
        clearTimeout(timer);
        timers.delete(session);
        if (!session.connection.destroyed) return session;
      }
      return undefined;
    },
    /** Keeps a session for the next mail, or ends it. */
    keep(session: Session): void {
      if (isClosed || session.mails >= mailsPerSession) return void quit(session);
      const timer = setTimeout(() => {
        timers.delete(session);
        void quit(session);
      }, idleMs);
      timers.set(session, timer.unref());
    },
    /** Ends the idle sessions at once, and the others after their mail. */
    async close(): Promise<void> {
      isClosed = true;
      const ends = [...timers].map(([session, timer]) => {
        clearTimeout(timer);
        return quit(session);
      });
      timers.clear();
      await Promise.all(ends);
    },
  };
}

type Failed = { code?: string; responseCode?: number };

const detailsOf = (error: unknown): Failed =>
  (error instanceof SmtpError ? error.cause : error) as Failed;

/** Whether a session broke before the server had the mail's content. */
const isLostSession = (error: unknown): boolean =>
  !(error instanceof SmtpError && error.contentSent) &&
  ['ECONNECTION', 'ESOCKET', 'ECONNRESET', 'EPIPE'].includes(detailsOf(error).code ?? '');

function openSession(
  options: SMTPConnection.Options,
  auth: SMTPConnection.Credentials | undefined,
): Promise<Session> {
  const connection = new SMTPConnection(options);
  return new Promise((resolve, reject) => {
    connection.once('error', (error: Error) => {
      connection.close();
      reject(error);
    });
    connection.connect((failure) => {
      if (failure) return reject(failure);
      const takesUtf8 = /^250[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse));
      const ready = () => {
        connection.removeAllListeners('error').on('error', () => {});
        resolve({ connection, takesUtf8, mails: 0 });
      };
      if (!auth || !connection.allowsAuth) return ready();
      connection.login({ user: auth.user, credentials: auth }, (error) => {
        if (!error) return ready();
        connection.close();
        reject(error);
      });
    });
  });
}

type Transmission = { envelope: Envelope; content: string; limitMs: number };

/** Sends one mail, and counts it. */
function transmit(session: Session, { envelope, content, limitMs }: Transmission): Promise<void> {
  const { connection } = session;
  let contentSent = false;
  session.mails++;
  return new Promise<void>((resolve, reject) => {
    const limit = setTimeout(() => {
      connection.close();
      reject(new SmtpError(timedOut(), false));
    }, limitMs);
    const body = readableOf(content).once('end', () => {
      clearTimeout(limit);
      contentSent = true;
    });
    connection.send(envelope, body, (error) => {
      clearTimeout(limit);
      if (error) reject(new SmtpError(error, contentSent));
      else resolve();
    });
  });
}

/** The content as the stream that nodemailer takes, whose end tells that it was sent. */
const readableOf = (content: string): Readable =>
  new Readable({
    read() {
      this.push(content);
      this.push(null);
    },
  });

const timedOut = () =>
  Object.assign(new Error('the mail server is too slow'), { code: 'ETIMEDOUT' });

/** Whether the session can be used after a failed mail: only if the server refused the mail. */
async function reset({ connection }: Session, error: unknown): Promise<boolean> {
  const { code, responseCode } = detailsOf(error);
  const isRefusal = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isReset =
    isRefusal &&
    responseCode !== 421 &&
    !connection.destroyed &&
    (await new Promise<boolean>((resolve) => connection.reset((failure) => resolve(!failure))));
  if (!isReset) connection.close();
  return isReset;
}

/** Ends a session with QUIT, and waits a moment for the answer. */
function quit({ connection }: Session): Promise<void> {
  if (connection.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(limit);
      resolve();
    };
    const limit = setTimeout(() => {
      connection.close();
      end();
    }, quitMs);
    connection.once('end', end);
    connection.quit();
  });
}
