import { ServiceError } from '@bailiwick/shared/errors.ts';
import nodemailer from 'nodemailer';
import { mailUnavailable } from '../queue/outcome.ts';

export type Mail = { to: string; messageId: string; subject: string; text: string; html: string };
export type Mailer = { send(mail: Mail): Promise<void>; close(): void };

/** Hands mails to the mail server over a few kept connections. */
export function createMailer({ smtpUrl, from, connections }: { smtpUrl: string; from: string; connections: number }): Mailer {
  const timeouts = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 20_000, dnsTimeout: 5000 };
  const transport = nodemailer.createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: connections,
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

/** A 5xx of the mail server is about this mail and final; everything else may pass. Its text can quote the address and stays in the cause. */
export function mailError(thrown: unknown): ServiceError {
  const { responseCode, code } = (thrown instanceof Error ? thrown : {}) as { responseCode?: number; code?: string };
  // Refused credentials are also a 5xx, and no fault of the recipient's.
  const final = typeof responseCode === 'number' && responseCode >= 500 && code !== 'EAUTH';
  const error = final
    ? new ServiceError('failed_precondition', 'MAIL_REFUSED', `the mail server refused the mail (${responseCode})`)
    : new ServiceError('unavailable', mailUnavailable, `the mail server did not take the mail${responseCode ? ` (${responseCode})` : ''}`);
  error.cause = thrown;
  return error;
}
