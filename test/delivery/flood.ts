import { Buffer } from 'node:buffer';
import { type AddressInfo, createServer } from 'node:net';
import process from 'node:process';

// A receiver in its own process, so that the flood does not load the test's event loop. It answers
// with an endless chunk extension, at 10 MB/s on each connection. Below /mostly every fourth
// request gets a proper answer, so that no breaker opens; between the messages "calm" and "flooded"
// all requests do. The argument is the address to listen on. The message "counts" returns counters.

const [, , host = ''] = process.argv;
const filler = Buffer.alloc(64 * 1024, 'x');
const everyMs = 6;
let isCalm = false;
const counts = { connections: 0, requests: 0, answering: 0, byPath: {} as Record<string, number> };

const server = createServer((socket) => {
  counts.connections += 1;
  let timer: NodeJS.Timeout | undefined;
  socket
    .on('error', () => {})
    .once('close', () => {
      if (timer) counts.answering -= 1;
      clearInterval(timer);
    });
  socket.on('data', (chunk) => {
    const [, path = ''] = /^POST (\/\S*)/.exec(chunk.toString('latin1')) ?? [];
    if (path === '') return;
    counts.requests += 1;
    counts.byPath[path] = (counts.byPath[path] ?? 0) + 1;
    if (path.startsWith('/mostly') && (isCalm || counts.requests % 4 === 0))
      return void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;');
    counts.answering += 1;
    timer = setInterval(() => socket.write(filler), everyMs);
  });
});
server.listen(0, host, () =>
  process.send?.({ origin: `http://${host}:${(server.address() as AddressInfo).port}` }),
);
process.on('message', (command) => {
  if (command === 'counts') process.send?.(counts);
  else isCalm = command === 'calm';
});
