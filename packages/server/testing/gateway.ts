import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';

// A gateway on loopback that speaks the protocol of docs/follow.md, as the test says.

export type ReceivedFrame = Record<string, unknown> & { Type: string; ID: number };

export const credential = 'bky_of_the_follower';

/** One connection of a follower. */
export type GatewayConnection = ReturnType<typeof openConnection>;

type Script = {
  /** Frames that are answered without the test: with defaults, all of them. */
  welcomes: boolean;
  oks: boolean;
  /** The answer to a question; undefined = the test answers. */
  answer: (ask: ReceivedFrame) => object | undefined;
};

export const beatMs = 20;
export const idleBeatMs = 1000;
export const leaseMs = 1500;

/** Reads frames in the order of a test's interest. `wake` says that there is one more, or no more. */
function createReader(frames: ReceivedFrame[], isClosed: () => boolean) {
  const readers = new Set<() => void>();
  return {
    wake: () => readers.forEach((reader) => reader()),
    /** The first frame of this type that was not read yet. @throws if the connection ends before */
    async read(type: string): Promise<ReceivedFrame> {
      for (;;) {
        const index = frames.findIndex(({ Type }) => Type === type);
        const [frame] = index < 0 ? [] : frames.splice(index, 1);
        if (frame) return frame;
        if (isClosed()) throw new Error('the connection has ended');
        await new Promise<void>((resolve) => {
          const reader = () => {
            readers.delete(reader);
            resolve();
          };
          readers.add(reader);
        });
      }
    },
  };
}

function openConnection(socket: WebSocket, script: Script) {
  const frames: ReceivedFrame[] = [];
  const { read, wake } = createReader(frames, () => closing !== undefined);
  let handle = 0;
  let dropId = 0;
  let closing: { code: number } | undefined;
  const send = (frame: object): void => socket.send(JSON.stringify(frame));

  const connection = {
    frames,
    send,
    sendText: (text: string | Uint8Array) => socket.send(text),
    read,
    close: (code: number, reason = '') => socket.close(code, reason),
    terminate: () => socket.terminate(),
    nextHandle: () => ++handle,
    /** The code with which the connection ended. */
    async closed(): Promise<number> {
      if (!closing) await once(socket, 'close');
      return closing?.code ?? 0;
    },
    welcome: (fields = {}) =>
      send({ Type: 'welcome', BeatMs: beatMs, IdleBeatMs: idleBeatMs, ...fields }),
    ok: (id: number, ms = leaseMs) => send({ Type: 'ok', ID: id, LeaseMs: ms }),
    answer(id: number, fields: object = {}): number {
      const own = { Type: 'answer', ID: id, Handle: ++handle, LastsMs: 300_000, Value: {} };
      send({ ...own, ...fields });
      return handle;
    },
    /** Returns once the follower has acknowledged it, and so has read all frames before. */
    async drop(...handles: number[]): Promise<void> {
      const id = ++dropId;
      send({ Type: 'drop', ID: id, Handles: handles });
      for (;;) if ((await read('dropped')).ID === id) return;
    },
  };

  socket.on('message', (text: Buffer) => {
    const frame = JSON.parse(text.toString()) as ReceivedFrame;
    if (frame.Type === 'hello' && script.welcomes) connection.welcome();
    if (frame.Type === 'beat' && script.oks) connection.ok(frame.ID);
    const answer = frame.Type === 'ask' ? script.answer(frame) : undefined;
    if (answer) connection.answer(frame.ID, answer);
    frames.push(frame);
    wake();
  });
  socket.on('close', (code) => {
    closing = { code };
    wake();
  });
  socket.on('error', () => {});
  return connection;
}

/** Starts a gateway. `script` can be changed while it runs. */
export async function startGateway(t: Pick<TestContext, 'after'>, changes: Partial<Script> = {}) {
  const script: Script = { welcomes: true, oks: true, answer: () => undefined, ...changes };
  const connections: GatewayConnection[] = [];
  const plain: { body: unknown; authorization: string | undefined }[] = [];
  const sockets = new WebSocketServer({ noServer: true });
  const state = {
    script,
    connections,
    plain,
    refusesUpgrades: false,
    upgrades: 0,
    answerPlainly: (_body: unknown): { status: number; body: object } => ({
      status: 400,
      body: {},
    }),
  };
  const server = createServer((request, response) => {
    void answerCall(request, response);
  });
  async function answerCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    plain.push({ body, authorization: request.headers.authorization });
    const answer = state.answerPlainly(body);
    response.writeHead(answer.status, { 'content-type': 'application/json', location: '/other' });
    response.end(JSON.stringify(answer.body));
  }
  server.on('upgrade', (request, socket, head) => {
    state.upgrades++;
    if (state.refusesUpgrades || request.url !== '/follow')
      return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      connections.push(openConnection(webSocket, script));
      sockets.emit('connection');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The connection with this number, from 0. */
    async connection(number: number): Promise<GatewayConnection> {
      for (;;) {
        const connection = connections[number];
        if (connection) return connection;
        await once(sockets, 'connection');
      }
    },
  });
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  // A request after a redirect has no body.
  return text === '' ? undefined : JSON.parse(text);
}
