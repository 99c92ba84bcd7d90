import { Buffer } from 'node:buffer';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

// Misbehaving receivers, byte by byte on real sockets. The path of the request selects the
// misbehaviour.

type Misbehave = (socket: Socket, everyMs: number) => void;

const ok = 'HTTP/1.1 200 OK\r\n';
const filler = Buffer.alloc(64 * 1024, 'x');

/** Sends one byte after the other, without end. */
const drip = (socket: Socket, everyMs: number, byte: string) => {
  const timer = setInterval(() => socket.write(byte), everyMs);
  socket.once('close', () => clearInterval(timer));
};

/** Sends the same bytes without end, as fast as they are read. */
function pour(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const repeated = (text: string): Buffer =>
  Buffer.from(text.repeat(Math.ceil(filler.length / text.length)));
const says =
  (text: string | Buffer): Misbehave =>
  (socket) =>
    void socket.write(text);
const saysAndEnds =
  (text: string | Buffer): Misbehave =>
  (socket) =>
    void socket.end(text);
const saysAndResets =
  (text: string): Misbehave =>
  (socket) =>
    void socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 20));
const saysAndPours =
  (text: string, bytes: Buffer): Misbehave =>
  (socket) => {
    socket.write(text);
    pour(socket, bytes);
  };
const saysAndDrips =
  (text: string, byte: string): Misbehave =>
  (socket, everyMs) => {
    socket.write(text);
    drip(socket, everyMs, byte);
  };

/**
 * The misbehaviour of a receiver, and the documented error of its attempt: '' if only the status
 * matters.
 */
export const misbehaviours: Readonly<Record<string, { error: string; does: Misbehave }>> = {
  silence: { error: 'timeout', does: () => {} },
  'status-drips': { error: 'timeout', does: saysAndDrips('HTTP/1.1 200 ', 'O') },
  'headers-drip': { error: 'timeout', does: saysAndDrips(`${ok}X-A: `, 'a') },
  'body-drips': {
    error: 'timeout',
    does: saysAndDrips(`${ok}content-length: 100000\r\n\r\n`, 'a'),
  },
  'chunks-drip': {
    error: 'timeout',
    does: saysAndDrips(`${ok}transfer-encoding: chunked\r\n\r\n`, '1\r\na\r\n'),
  },
  'trailers-drip': {
    error: 'timeout',
    does: saysAndDrips(`${ok}transfer-encoding: chunked\r\n\r\n0\r\nX-A: `, 'a'),
  },
  'body-without-end': {
    error: '',
    does: saysAndPours(`${ok}transfer-encoding: chunked\r\n\r\n`, chunk(filler)),
  },
  'body-until-close': { error: '', does: saysAndPours(`${ok}\r\n`, filler) },
  'body-of-terabytes': {
    error: '',
    does: saysAndPours(`${ok}content-length: 9999999999999\r\n\r\n`, filler),
  },
  'chunk-extension-without-end': {
    error: 'response_too_large',
    does: saysAndPours(`${ok}transfer-encoding: chunked\r\n\r\n1;`, filler),
  },
  'trailers-without-end': {
    error: 'response_too_large',
    does: saysAndPours(`${ok}transfer-encoding: chunked\r\n\r\n0\r\n`, repeated('X-A: a\r\n')),
  },
  'header-without-end': { error: 'response_too_large', does: saysAndPours(`${ok}X-A: `, filler) },
  'header-name-without-end': { error: 'response_too_large', does: saysAndPours(ok, filler) },
  'headers-without-end': {
    error: 'response_too_large',
    does: saysAndPours(ok, repeated('X-A: a\r\n')),
  },
  'reason-without-end': {
    error: 'response_too_large',
    does: saysAndPours('HTTP/1.1 200 ', filler),
  },
  'blank-lines-without-end': {
    error: 'response_too_large',
    does: saysAndPours('', repeated('\r\n')),
  },
  'hints-without-end': {
    error: 'response_too_large',
    does: saysAndPours('', repeated('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')),
  },
  'processing-without-end': {
    error: 'response_too_large',
    does: saysAndPours('', repeated('HTTP/1.1 102 Processing\r\n\r\n')),
  },
  'continue-and-no-answer': { error: 'timeout', does: says('HTTP/1.1 100 Continue\r\n\r\n') },
  'continue-without-end': {
    error: 'response_too_large',
    does: saysAndPours('', repeated('HTTP/1.1 100 Continue\r\n\r\n')),
  },
  'another-protocol': {
    error: 'connection_reset',
    does: says('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  },
  'reset-at-once': { error: 'connection_reset', does: (socket) => void socket.resetAndDestroy() },
  'closed-at-once': { error: 'connection_reset', does: (socket) => void socket.end() },
  'reset-in-status': { error: 'connection_reset', does: saysAndResets('HTTP/1.1 2') },
  'reset-in-headers': { error: 'connection_reset', does: saysAndResets(`${ok}X-A: `) },
  'reset-in-body': {
    error: 'aborted_by_receiver',
    does: saysAndResets(`${ok}content-length: 10\r\n\r\nabc`),
  },
  'closed-in-body': {
    error: 'aborted_by_receiver',
    does: saysAndEnds(`${ok}content-length: 10\r\n\r\nabc`),
  },
  'closed-in-chunk': {
    error: 'aborted_by_receiver',
    does: saysAndEnds(`${ok}transfer-encoding: chunked\r\n\r\n5\r\nabc`),
  },
  'bad-chunk': {
    error: 'aborted_by_receiver',
    does: says(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\nabc`),
  },
  'length-negative': {
    error: 'connection_reset',
    does: says(`${ok}content-length: -1\r\n\r\nabc`),
  },
  'length-in-letters': {
    error: 'connection_reset',
    does: says(`${ok}content-length: ten\r\n\r\nabc`),
  },
  'length-too-long': {
    error: 'connection_reset',
    does: says(`${ok}content-length: ${'9'.repeat(40)}\r\n\r\nabc`),
  },
  'two-lengths': {
    error: 'connection_reset',
    does: says(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
  },
  'length-and-chunks': {
    error: 'connection_reset',
    does: says(`${ok}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
  },
  'another-server': { error: 'connection_reset', does: says('SSH-2.0-OpenSSH_9.9\r\n') },
  'another-version': { error: 'connection_reset', does: says('HTTP/9.9 200 OK\r\n\r\n') },
  'another-status': { error: 'connection_reset', does: says('HTTP/1.1 99999 OK\r\n\r\n') },
  nonsense: { error: 'connection_reset', does: says(Buffer.from([0, 255, 13, 10, 0, 1, 2])) },
  'nul-in-header': { error: 'connection_reset', does: says(`${ok}X-A: \0\r\n\r\n`) },
  'folded-header': {
    error: 'connection_reset',
    does: says(`${ok}X-A: a\r\n b\r\ncontent-length: 0\r\n\r\n`),
  },
  'gzip-bomb': {
    error: '',
    does: (socket) => {
      const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
      socket.end(
        Buffer.concat([
          Buffer.from(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`),
          bomb,
        ]),
      );
    },
  },
  'no-such-length-for-204': {
    error: '',
    does: says('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nabcde'),
  },
  'kept-alive-for-ever': {
    error: '',
    does: says(`${ok}keep-alive: timeout=999999999\r\ncontent-length: 0\r\n\r\n`),
  },
  'told-to-wait-for-ever': {
    error: 'http_status',
    does: says('HTTP/1.1 503 Busy\r\nretry-after: 999999999\r\ncontent-length: 0\r\n\r\n'),
  },
};

/**
 * Receivers that send more answers than requests. Each has an origin of its own, because the next
 * request there may find the extra answer.
 */
export const answersTwice: typeof misbehaviours = {
  'two-answers': {
    error: '',
    does: says(`${ok}content-length: 0\r\n\r\nHTTP/1.1 500 Error\r\ncontent-length: 0\r\n\r\n`),
  },
  'a-second-answer-later': {
    error: '',
    does: (socket) => {
      socket.write(`${ok}content-length: 0\r\n\r\n`);
      setTimeout(
        () => !socket.destroyed && socket.write('HTTP/1.1 500 Error\r\ncontent-length: 0\r\n\r\n'),
        30,
      );
    },
  },
};

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

/**
 * Starts all of them behind one port of `host`. `everyMs` is the time between the bytes of those
 * that drip.
 */
export async function startReceivers(host: string, everyMs: number) {
  const sockets = new Set<Socket>();
  const receivers = {
    origin: '',
    connections: 0,
    open: () => sockets.size,
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((socket) => {
    receivers.connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    // A request may arrive in pieces, but the first piece always has the first line.
    socket.on('data', (chunk) => {
      const [, path = ''] = /^POST \/([a-z0-9-]+)/.exec(chunk.toString('latin1')) ?? [];
      (misbehaviours[path] ?? answersTwice[path])?.does(socket, everyMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  receivers.origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  return receivers;
}
