import { createServer, type Server } from 'node:http';
import { isIP } from 'node:net';
import { loopback } from '../ports.ts';
import { createHooks } from './hooks.ts';
import { createMailbox, startSmtp } from './mails.ts';
import type { Stores } from './page.ts';
import { answer } from './routes.ts';

export type Inbox = { url: string; smtpUrl: string; stop(): Promise<void> };
export type InboxOptions = {
  /** 0 takes a free port. */
  httpPort: number;
  smtpPort?: number;
  /**
   * Default: loopback, because this server shows every mail, including sign-in links, to every
   * visitor.
   */
  host?: string;
  /** Mail templates that replace shipped ones, for the page that shows all mails. */
  templatesDir?: string;
};

/**
 * A mail server that keeps its mails, a webhook catcher, and a page that shows both. All data is in
 * memory.
 */
export async function startInbox({
  httpPort,
  smtpPort = 0,
  host = loopback,
  templatesDir = '',
}: InboxOptions): Promise<Inbox> {
  const started = Date.now();
  let changes = 0;
  const changed = (): void => {
    changes += 1;
  };
  const stores: Stores = {
    mails: createMailbox(changed),
    hooks: createHooks(changed),
    revision: () => `${started}-${changes}`,
    templatesDir,
    localNamesOnly: host === loopback || host === '::1' || host === 'localhost',
  };
  const smtp = await startSmtp(stores.mails, host, smtpPort);
  const server = createServer((request, response) => void answer(stores, request, response));
  const port = await listen(server, httpPort, host).catch(async (error: unknown) => {
    await smtp.stop();
    throw error;
  });
  const name = host === '0.0.0.0' || host === '::' ? loopback : host;
  const urlHost = isIP(name) === 6 ? `[${name}]` : name;
  return {
    url: `http://${urlHost}:${port}`,
    smtpUrl: `smtp://${urlHost}:${smtp.port}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await Promise.all([closed, smtp.stop()]);
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
