import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMailbox, startSmtp } from '@bailiwick/deploy/local/inbox/mails.ts';
import {
  isSignatureValid,
  isStandardWebhookValid,
} from '@bailiwick/deploy/local/inbox/signatures.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';

/** The deliveries of one event to an endpoint, or of one mail to an address. */
export type Got = { ids: Set<string>; taken: number; refused: number };

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

/** The key of an event's record: the unique name that the operation gave it. */
export function keyOf(event: { data: Record<string, unknown> }): string {
  const { Path, Email, Slug, Name } = event.data;
  return String(Path ?? Email ?? Slug ?? Name);
}

/** Receivers of webhooks and mails that count all they get, and sometimes reject a webhook. */
export async function startReceivers(random: () => number) {
  const secrets = new Map<string, string>();
  const webhooks = new Map<string, Got>();
  const mails = new Map<string, Got>();
  const counts = { forged: 0 };

  const note = (all: Map<string, Got>, name: string, id: string, isTaken: boolean) => {
    const got = all.get(name) ?? { ids: new Set(), taken: 0, refused: 0 };
    got.ids.add(id);
    if (isTaken) got.taken++;
    else got.refused++;
    all.set(name, got);
  };

  const take = async (request: IncomingMessage): Promise<boolean> => {
    const body = await read(request);
    const endpoint = (request.url ?? '').slice(1);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const secret = secrets.get(endpoint) ?? '';
    const signed = { headers, body, receivedAt: new Date() };
    if (!isSignatureValid(signed, secret) || !isStandardWebhookValid(signed, secret))
      counts.forged++;
    const isTaken = !endpoint.startsWith('flaky') || random() > 0.1;
    note(
      webhooks,
      `${endpoint} ${keyOf(JSON.parse(body.toString()) as { data: Record<string, unknown> })}`,
      headers['webhook-id'] ?? '',
      isTaken,
    );
    return isTaken;
  };
  // A killed sender leaves an incomplete request.
  const server = createServer((request, response) => {
    void take(request).then(
      (isTaken) => response.writeHead(isTaken ? 200 : 503).end(),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  const url = `http://${loopback}:${(server.address() as AddressInfo).port}`;

  const mailbox = createMailbox(() => {});
  const smtp = await startSmtp(
    {
      ...mailbox,
      add: ({ To, Text }) =>
        note(mails, To, /bwk[vri]_[0-9A-Za-z]{49}/.exec(Text)?.[0] ?? '', true),
    },
    loopback,
    0,
  );

  return {
    url,
    smtpUrl: `smtp://${loopback}:${smtp.port}`,
    webhooks,
    mails,
    counts,
    /** Sets the secret that the requests to an endpoint are signed with. */
    expect: (endpoint: string, secret: string) => void secrets.set(endpoint, secret),
    async stop(): Promise<void> {
      server.closeAllConnections();
      await Promise.all([new Promise((resolve) => server.close(resolve)), smtp.stop()]);
    },
  };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
