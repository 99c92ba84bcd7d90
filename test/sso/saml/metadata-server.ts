import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type MetadataServer = Awaited<ReturnType<typeof startMetadataServer>>;

type Answer = { status?: number; headers?: Record<string, string>; body?: string };

/** A server of metadata, whose answers tests set. `requests`: how many came. */
export async function startMetadataServer() {
  let [answer, requests]: [Answer, number] = [{}, 0];
  const server = createServer((_, response) => {
    requests += 1;
    const { status = 200, headers = {}, body = '' } = answer;
    response.writeHead(status, { 'content-type': 'application/samlmetadata+xml', ...headers });
    response.end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`,
    requests: () => requests,
    set(next: Answer): void {
      answer = next;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
