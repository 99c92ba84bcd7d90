import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { findLinks } from './links.ts';

/** A mail as one recipient received it. */
export type Mail = {
  ID: string;
  /** RFC 3339, time of arrival. */
  Date: string;
  From: string;
  To: string;
  Subject: string;
  Text: string;
  Html: string;
  Links: string[];
};

export type Mailbox = ReturnType<typeof createMailbox>;

const keptMails = 500;
const maxMailBytes = 2 * 1024 * 1024;

/** Newest first. The oldest mails are removed beyond the limit. */
export function createMailbox(changed: () => void) {
  let mails: Mail[] = [];
  return {
    list: (to?: string): Mail[] =>
      to === undefined ? mails : mails.filter((mail) => sameAddress(mail.To, to)),
    find: (id: string): Mail | undefined => mails.find((mail) => mail.ID === id),
    add(mail: Mail): void {
      mails = [mail, ...mails].slice(0, keptMails);
      changed();
    },
    clear(): void {
      mails = [];
      changed();
    },
  };
}

function sameAddress(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

/** Accepts every mail, so the caller passes a loopback host unless it is meant to be reachable. */
export async function startSmtp(mailbox: Mailbox, host: string, port: number) {
  const server = new SMTPServer({
    name: 'bailiwick-inbox',
    banner: 'Bailiwick inbox',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: maxMailBytes,
    closeTimeout: 1000,
    onData: (stream, session, callback) =>
      void receive(mailbox, stream, session).then(callback, () =>
        callback(rejection(554, 'unreadable message')),
      ),
  });
  server.on('error', () => {}); // a client hung up; a listen error is handled below
  const listening = await new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', reject);
    const { server: socket } = server;
    server.listen(port, host, () => resolve(socket.address() as AddressInfo));
  });
  return {
    port: listening.port,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function receive(
  mailbox: Mailbox,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<Error | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxMailBytes) chunks.push(chunk); // read to the end, or the client would wait
  }
  if (size > maxMailBytes) return rejection(552, 'message too large');
  const parsed = await PostalMime.parse(Buffer.concat(chunks));
  const { mailFrom, rcptTo } = session.envelope;
  const text = parsed.text ?? '';
  const html = parsed.html ?? '';
  for (const recipient of rcptTo) {
    mailbox.add({
      ID: randomUUID(),
      Date: new Date().toISOString(),
      From: parsed.from?.address ?? (mailFrom === false ? '' : mailFrom.address),
      To: recipient.address,
      Subject: parsed.subject ?? '',
      Text: text,
      Html: html,
      Links: findLinks(text, html),
    });
  }
  return null;
}

function rejection(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
