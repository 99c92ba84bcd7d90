import { ServiceError } from '@bailiwick/errors';
import nodemailer from 'nodemailer';
import { mailUnavailable } from '../queue/attempt-outcome.ts';
import { writeMessage } from './message.ts';
import { isAboutRecipient } from './refusal.ts';

export type Mail = { to: string; messageId: string; subject: string; text: string; html: string };
export type Mailer = { send(mail: Mail): Promise<void>; close(): void };

/**
 * A permanent rejection of this mail. `suppress`: the rejection is about the recipient, so other
 * mails would be rejected, too.
 */
export class MailRefused extends ServiceError {
  readonly responseCode: number;
  readonly suppress: boolean;
  constructor(responseCode: number, suppress: boolean) {
    super(
      'failed_precondition',
      'MAIL_REFUSED',
      `the mail server refused the ${suppress ? 'recipient' : 'mail'} (${responseCode})`,
    );
    this.responseCode = responseCode;
    this.suppress = suppress;
  }
}

/** Sends mails over a few pooled connections, one recipient per envelope. */
export function createMailer({
  smtpUrl,
  from,
  connections,
}: {
  smtpUrl: string;
  from: string;
  connections: number;
}): Mailer {
  const timeouts = {
    connectionTimeout: 5000,
    greetingTimeout: 5000,
    socketTimeout: 20_000,
    dnsTimeout: 5000,
  };
  const transport = nodemailer.createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: connections,
    // The queue decides about retries: an attempt made here would not be recorded.
    maxRequeues: 0,
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      try {
        await transport.sendMail(writeMessage(from, mail));
      } catch (error) {
        throw mailError(error);
      }
    },
    close: () => transport.close(),
  };
}

type SmtpFailure = { responseCode?: number; code?: string; command?: string; response?: string };

/**
 * Maps a mail server error. A 5xx about this mail is permanent; everything else is temporary,
 * errors about our credentials or our host included, because an operator can fix them.
 */
export function mailError(thrown: unknown): ServiceError {
  const {
    responseCode,
    code,
    command = '',
    response = '',
  } = (thrown instanceof Error ? thrown : {}) as SmtpFailure;
  // A rejected connection (greeting, credentials) never got as far as this mail.
  const final =
    typeof responseCode === 'number' &&
    responseCode >= 500 &&
    code !== 'EAUTH' &&
    (code === 'EENVELOPE' || code === 'EMESSAGE');
  const error = final
    ? new MailRefused(responseCode, isAboutRecipient(command, response))
    : new ServiceError(
        'unavailable',
        mailUnavailable,
        `the mail server did not take the mail${responseCode ? ` (${responseCode})` : ''}`,
      );
  error.cause = redacted(thrown);
  return error;
}

/**
 * An error that is safe to log: the server's text, and errors of the envelope, can quote the
 * address.
 */
function redacted(thrown: unknown): unknown {
  const { responseCode, code, command, response } = (
    thrown instanceof Error ? thrown : {}
  ) as SmtpFailure;
  if (response === undefined && code !== 'EENVELOPE') return thrown;
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1];
  return new Error([code, command, responseCode, status].filter(Boolean).join(' '));
}
