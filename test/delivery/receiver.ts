import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loopback } from '@bailiwick/deploy/local/ports.ts';

export type RequestRecord = { at: number; path: string; id: string; attempt: number };
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a receiver with a scripted answer for each path. It records all requests. */
export async function startReceiver() {
  const received: RequestRecord[] = [];
  const answers = new Map<string, (request: RequestRecord, response: ServerResponse) => void>();
  const underWay = new Map<string, number>();
  const most = new Map<string, number>();
  const server = createServer((message: IncomingMessage, response: ServerResponse) => {
    const path = message.url ?? '';
    const request = {
      at: Date.now(),
      path,
      id: String(message.headers['webhook-id'] ?? ''),
      attempt: Number(message.headers['x-webhook-attempt']),
    };
    received.push(request);
    const now = (underWay.get(path) ?? 0) + 1;
    underWay.set(path, now);
    most.set(path, Math.max(most.get(path) ?? 0, now));
    response.once('close', () => underWay.set(path, (underWay.get(path) ?? 1) - 1));
    message.resume().once('end', () => {
      const answer = answers.get(path);
      if (answer) answer(request, response);
      else response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path: string) => `http://${loopback}:${port}${path}`,
    /** Sets the answer of a path; without `answer`, 200. */
    answer(
      path: string,
      answer?: (request: RequestRecord, response: ServerResponse) => void,
    ): void {
      if (answer) answers.set(path, answer);
      else answers.delete(path);
    },
    at: (path: string) => received.filter((request) => request.path === path),
    /** The largest number of concurrent requests. */
    most: (path: string) => most.get(path) ?? 0,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with a status and an empty body. */
export const status =
  (code: number, headers: Record<string, string> = {}) =>
  (_request: RequestRecord, response: ServerResponse): void =>
    void response.writeHead(code, headers).end();
