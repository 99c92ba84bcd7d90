import { ServiceError } from '@bailiwick/shared/errors.ts';
import nodemailer from 'nodemailer';
import { mailUnavailable } from '../queue/outcome.ts';
import { speaksOfRecipient } from './refusal.ts';

export type Mail = { to: string; messageId: string; subject: string; text: string; html: string };
export type Mailer = { send(mail: Mail): Promise<void>; close(): void };

/** A refusal that is about this mail and final. `suppress` = it is about the recipient, who wants no other either. */
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

/** Hands mails to the mail server over a few kept connections, each in an envelope of its own. */
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
    // The queue decides about another attempt: one that is made here would be noted nowhere.
    maxRequeues: 0,
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, messageId, subject, text, html }) {
      try {
        await transport.sendMail({
          from,
          // An object is taken as it is: no address parser looks at it.
          to: { name: '', address: to },
          messageId,
          subject,
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        });
      } catch (error) {
        throw mailError(error);
      }
    },
    close: () => transport.close(),
  };
}

type SmtpFailure = { responseCode?: number; code?: string; command?: string; response?: string };

/**
 * A 5xx of the mail server is about this mail and final; everything else may pass. What it says of us (our credentials,
 * our place) passes too, once it is put right.
 */
export function mailError(thrown: unknown): ServiceError {
  const {
    responseCode,
    code,
    command = '',
    response = '',
  } = (thrown instanceof Error ? thrown : {}) as SmtpFailure;
  // A connection that was refused (a greeting, the credentials) never got as far as this mail.
  const final =
    typeof responseCode === 'number' &&
    responseCode >= 500 &&
    code !== 'EAUTH' &&
    (code === 'EENVELOPE' || code === 'EMESSAGE');
  const error = final
    ? new MailRefused(responseCode, speaksOfRecipient(command, response))
    : new ServiceError(
        'unavailable',
        mailUnavailable,
        `the mail server did not take the mail${responseCode ? ` (${responseCode})` : ''}`,
      );
  error.cause = withoutWords(thrown);
  return error;
}

/** A failure as it may be logged. What the server says can quote the address, and so can what is said of an envelope. */
function withoutWords(thrown: unknown): unknown {
  const { responseCode, code, command, response } = (
    thrown instanceof Error ? thrown : {}
  ) as SmtpFailure;
  if (response === undefined && code !== 'EENVELOPE') return thrown;
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1];
  return new Error([code, command, responseCode, status].filter(Boolean).join(' '));
}
