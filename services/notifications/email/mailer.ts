import { ServiceError } from '@bailiwick/errors';
import { mailUnavailable, mailUnconfirmed } from '../queue/attempt-outcome.ts';
import { type Mail, writeMessage } from './message.ts';
import { isAboutRecipient } from './refusal.ts';
import { createSmtpSessions, NeedsSmtpUtf8, type PhaseLimits, SmtpError } from './smtp.ts';

export type Mailer = { send(mail: Mail): Promise<void>; close(): Promise<void> };

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

type MailerOptions = {
  smtpUrl: string;
  greetingName: string;
  from: string;
  connections: number;
  limits?: PhaseLimits;
};

/** Sends mails over a few pooled sessions, one recipient per envelope. */
export function createMailer({ smtpUrl, from, connections, ...options }: MailerOptions): Mailer {
  const sessions = createSmtpSessions({ url: smtpUrl, sessions: connections, ...options });
  return {
    async send(mail) {
      const { envelope, content } = writeMessage(from, mail);
      try {
        await sessions.send(envelope, content);
      } catch (error) {
        throw mailError(error);
      }
    },
    close: () => sessions.close(),
  };
}

type SmtpFailure = { responseCode?: number; code?: string; command?: string; response?: string };

/**
 * Maps a mail server error. A 5xx about this mail is permanent; everything else is temporary,
 * errors about our credentials or our host included, because an operator can fix them.
 */
export function mailError(failure: unknown): ServiceError {
  if (failure instanceof NeedsSmtpUtf8)
    return new ServiceError(
      'failed_precondition',
      'MAIL_REFUSED',
      'the mail server does not support addresses with non-ASCII letters (SMTPUTF8)',
    );
  const thrown = failure instanceof SmtpError ? failure.cause : failure;
  if (failure instanceof SmtpError && failure.contentSent && isTimeout(thrown))
    return unconfirmed();
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

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT';

/**
 * The server has the content and did not say what became of it. Sending it again could deliver it
 * twice, so the outcome stays unknown.
 */
const unconfirmed = () =>
  new ServiceError(
    'failed_precondition',
    mailUnconfirmed,
    'outcome unknown: the mail server did not confirm the mail within ten minutes',
  );

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
