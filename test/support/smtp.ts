import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { loopback } from '@bailiwick/deploy/local/ports.ts';

// A mail server with scripted answers, for real SMTP conversations with failures.

export type Stage =
  | 'greeting'
  | 'EHLO'
  | 'AUTH'
  | 'MAIL'
  | 'RCPT'
  | 'DATA'
  | 'content'
  | 'end'
  | 'QUIT';
/** The answer at a stage: a reply, a delay, {@link hangUp}, or undefined for the usual reply. */
export type Answer = string | { waitMs: number } | undefined;
/** Closes the connection instead of answering. */
export const hangUp = 'hang up';
/** `line` is the client's command or the content; `recipient` is '' until it is known. */
export type Script = (stage: Stage, line: string, recipient: string) => Answer;

export type SmtpMail = { from: string; to: string[]; content: string };
export type SmtpServer = Awaited<ReturnType<typeof startSmtpServer>>;

const usual: Record<Stage, string> = {
  greeting: '220 scripted ESMTP',
  EHLO: '250 scripted',
  AUTH: '235 2.7.0 welcome',
  MAIL: '250 2.1.0 ok',
  RCPT: '250 2.1.5 ok',
  DATA: '354 go on',
  content: '',
  end: '250 2.0.0 taken',
  QUIT: '221 bye',
};

/** Starts a mail server on a free port of loopback. `mails` and `calls` record its use. */
export async function startSmtpServer() {
  const mails: SmtpMail[] = [];
  const state = { script: (() => undefined) as Script, calls: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    state.calls += 1;
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
    converse(socket, (...commands) => state.script(...commands), mails);
  });
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://${loopback}:${port}`,
    mails,
    calls: () => state.calls,
    /** Sets the script of later answers. */
    say: (script: Script): void => void (state.script = script),
    mailsTo: (address: string): SmtpMail[] => mails.filter(({ to }) => to.includes(address)),
    /** Closes all connections. */
    hangUp: (): void => sockets.forEach((socket) => socket.destroy()),
    async stop(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function converse(socket: Socket, script: Script, mails: SmtpMail[]): void {
  let mail: SmtpMail = { from: '', to: [], content: '' };
  let inContent = false;
  let buffer = '';

  /** Answers, and returns whether the conversation continues as usual. */
  function answer(stage: Stage, line: string): boolean {
    const said = script(stage, line, mail.to.at(-1) ?? '');
    if (said === hangUp) socket.destroy();
    else if (typeof said === 'object')
      setTimeout(
        () => socket.destroyed || socket.write(`${usual[stage]}\r\n`),
        said.waitMs,
      ).unref();
    else if (said !== undefined || usual[stage] !== '') socket.write(`${said ?? usual[stage]}\r\n`);
    return said === undefined;
  }

  function command(line: string): void {
    const verb = line.slice(0, 4).toUpperCase();
    const path = /<([^>]*)>/.exec(line)?.[1] ?? '';
    if (verb === 'EHLO' || verb === 'HELO') answer('EHLO', line);
    else if (verb === 'AUTH') answer('AUTH', line);
    else if (verb === 'MAIL') {
      mail = { from: path, to: [], content: '' };
      answer('MAIL', line);
    } else if (verb === 'RCPT') {
      mail.to.push(path);
      answer('RCPT', line);
    } else if (verb === 'DATA') inContent = answer('DATA', line);
    else if (verb === 'QUIT') {
      answer('QUIT', line);
      socket.end();
    } else socket.write(verb === 'RSET' || verb === 'NOOP' ? '250 ok\r\n' : '502 not here\r\n');
  }

  function content(): void {
    const end = buffer.indexOf('\r\n.\r\n');
    if (end < 0) return void answer('content', buffer);
    mail.content = buffer.slice(0, end);
    buffer = buffer.slice(end + 5);
    inContent = false;
    if (script('content', mail.content, mail.to.at(-1) ?? '') === hangUp)
      return void socket.destroy();
    if (answer('end', mail.content)) mails.push(mail);
  }

  socket.setEncoding('utf8').on('data', (chunk: string) => {
    buffer += chunk;
    while (!inContent && buffer.includes('\r\n')) {
      const at = buffer.indexOf('\r\n');
      const line = buffer.slice(0, at);
      buffer = buffer.slice(at + 2);
      command(line);
    }
    if (inContent && buffer !== '') content();
  });
  answer('greeting', '');
}
