import { type AddressInfo, createServer, type Socket } from 'node:net';
import { serveBench } from '../peer.ts';

// A mail server that accepts everything and keeps nothing, so that its own cost is minimal. It
// counts messages, and answers one question: when so many have arrived.

let count = 0;
let arrived = () => {};

const answers: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(EHLO|HELO) /i, '250 bench'],
  [/^(MAIL|RCPT|RSET|NOOP)\b/i, '250 ok'],
  [/^DATA$/i, '354 go on'],
  [/^QUIT$/i, '221 bye'],
];

function serve(socket: Socket): void {
  let text = '';
  let inMessage = false;
  const say = (line: string) => socket.write(`${line}\r\n`);

  /**
   * Takes one command or one message from the received data. Returns whether a complete one was
   * there.
   */
  function take(): boolean {
    const end = inMessage ? '\r\n.\r\n' : '\r\n';
    const at = text.indexOf(end);
    if (at < 0) return false;
    const line = inMessage ? '' : text.slice(0, at);
    text = text.slice(at + end.length);
    if (inMessage) {
      inMessage = false;
      count++;
      say('250 taken');
      arrived();
      return true;
    }
    inMessage = /^DATA$/i.test(line);
    say(answers.find(([pattern]) => pattern.test(line))?.[1] ?? '500 unknown');
    return true;
  }

  socket.setEncoding('latin1');
  socket.setNoDelay(true);
  socket.on('data', (chunk: string) => {
    text += chunk;
    while (take());
  });
  socket.on('error', () => socket.destroy());
  say('220 bench');
}

/** Resolves with the count since the last question, once it is as `expected` or the time is up. */
async function answer({
  expected,
  limitMs,
}: {
  expected: number;
  limitMs: number;
}): Promise<number> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    arrived = () => {
      if (count < expected) return;
      clearTimeout(timer);
      resolve();
    };
    arrived();
  });
  const came = count;
  count = 0;
  arrived = () => {};
  return came;
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () =>
  serveBench(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, answer),
);
