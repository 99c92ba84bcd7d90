import { Buffer } from 'node:buffer';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { serveBench } from '../peer.ts';

// Receivers that never end their answers. The first part of the path says how; every fourth request
// is answered properly, so that no breaker opens. A process of its own: what it sends costs CPU too.

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const filler = Buffer.alloc(64 * 1024, 'x');

function pour(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 100);
  socket.once('close', () => clearInterval(timer));
}

const answers: Readonly<Record<string, (socket: Socket) => void>> = {
  headers(socket) {
    socket.write(ok);
    drip(socket, 'X-A: a\r\n');
  },
  slow(socket) {
    socket.write(chunked);
    drip(socket, '1\r\na\r\n');
  },
  fast(socket) {
    socket.write(`${chunked}1;`);
    pour(socket, filler);
  },
  silent: () => {},
  // No misbehaviour: the same number of attempts that fail at once.
  failing: (socket) =>
    void socket.write('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n'),
};

let requests = 0;
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    const [, kind = ''] = /^POST \/([a-z]+)/.exec(chunk.toString('latin1')) ?? [];
    const answer = answers[kind];
    if (!answer) return;
    if (++requests % 4 === 0) socket.write(`${ok}content-length: 0\r\n\r\n`);
    else answer(socket);
  });
});
server.listen(0, '127.0.0.1', () =>
  serveBench(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, async () => requests),
);
