import { randomUUID } from 'node:crypto';
import MimeNode from 'nodemailer/lib/mime-node';
import { encode, wrap } from 'nodemailer/lib/qp';
import type { Envelope } from './smtp.ts';

export type Mail = { to: string; messageId: string; subject: string; text: string; html: string };

/** The longest line of quoted-printable text (RFC 2045). */
const lineLength = 76;

/**
 * Writes a mail in one piece. nodemailer would stream its parts, each through several streams and
 * with writes to the socket of its own: most of the cost of a mail.
 */
export function writeMessage(
  from: string,
  { to, messageId, subject, text, html }: Mail,
): {
  envelope: Envelope;
  content: string;
} {
  const boundary = `--${randomUUID()}`;
  const head = new MimeNode(`multipart/alternative; boundary="${boundary}"`).setHeader({
    from,
    // nodemailer takes an object as it is, without parsing the address.
    to: { name: '', address: to },
    subject,
    'Message-ID': messageId,
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All',
  });
  const parts = [partOf('text/plain', text), partOf('text/html', html)];
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('');
  const sender = head.getEnvelope().from;
  return {
    envelope: { from: sender === false ? '' : sender, to },
    content: `${head.buildHeaders()}\r\n\r\n${body}--${boundary}--\r\n`,
  };
}

function partOf(type: string, text: string): string {
  const lines = wrap(encode(text.replace(/\r?\n/g, '\r\n')), lineLength);
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${lines}`;
}
