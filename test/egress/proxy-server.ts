import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { loopback } from '@bailiwick/deploy/local/ports.ts';

export type ProxyServer = Awaited<ReturnType<typeof startProxy>>;

/** Starts an HTTP proxy that opens tunnels for one user, or gives a configured answer. */
export async function startProxy({ user = 'egress', password = 'hunter2%' } = {}) {
  const credential = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const sockets = new Set<Socket>();
  const proxy = {
    url: '',
    /** The requested targets of the tunnels, one for each request. */
    asked: [] as string[],
    /** All bytes that the client sent in the tunnels. */
    sent: Buffer.alloc(0),
    /** An answer instead of a tunnel, by target; 'nothing' for no answer. */
    refuse: ((_target: string): number | 'nothing' | undefined => undefined) as (
      target: string,
    ) => number | 'nothing' | undefined,
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    const target = request.url ?? '';
    proxy.asked.push(target);
    const status =
      request.headers['proxy-authorization'] === credential ? proxy.refuse(target) : 407;
    if (status === 'nothing') return;
    if (status !== undefined)
      return void client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`);
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    sockets.add(upstream);
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      client.on('data', (chunk: Buffer) => void (proxy.sent = Buffer.concat([proxy.sent, chunk])));
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'));
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  proxy.url = `http://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${loopback}:${(server.address() as AddressInfo).port}`;
  return proxy;
}
