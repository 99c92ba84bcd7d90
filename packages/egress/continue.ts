import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
/** The length of `HTTP/1.1 100`: the status is known from here on. */
const statusEnd = 12;
/** undici refuses longer heads itself. */
const longestHead = 16 * 1024;
const protocol = 'HTTP/1.';
const informational = /^HTTP\/1\.[01] 1\d\d$/;

/**
 * Accepts `100 Continue` from receivers that send it although no request asks for it (RFC 9110
 * §15.2: a client must be able to read 1xx responses before the final one). undici ends the
 * connection at a 100 and ignores every other 1xx, so the status becomes 102 on its way to undici.
 */
export function acceptContinue(socket: Socket): void {
  let written = 0;
  let beforeFinal = false;
  let pending: Buffer = Buffer.alloc(0);

  // `on` would start the stream's flow before the parser reads it.
  socket.prependListener('readable', () => {
    // HTTP/1.1 without pipelining: each write begins a new request, whose response comes next.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      beforeFinal = true;
      pending = Buffer.alloc(0);
    }
    if (!beforeFinal) return;
    const chunk = socket.read() as Buffer | null;
    if (!chunk) return;
    const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const { end, isFinal } = passInformational(bytes);
    beforeFinal = !isFinal;
    const ready = isFinal ? bytes.length : end;
    pending = bytes.subarray(ready);
    if (ready > 0) socket.unshift(bytes.subarray(0, ready));
  });
}

/**
 * Changes each leading status 100 to 102. `end`: where the whole informational responses end.
 * `isFinal`: whether the rest begins a final response, or nothing that HTTP knows.
 */
function passInformational(bytes: Buffer): { end: number; isFinal: boolean } {
  for (let end = 0; ; ) {
    const start = bytes.toString('latin1', end, Math.min(bytes.length, end + protocol.length));
    if (!protocol.startsWith(start)) return { end, isFinal: true };
    if (bytes.length - end < statusEnd) return { end, isFinal: false };
    if (!informational.test(bytes.toString('latin1', end, end + statusEnd)))
      return { end, isFinal: true };
    const next = bytes.indexOf(headEnd, end);
    if (next < 0) return { end, isFinal: bytes.length - end > longestHead };
    if (bytes.toString('latin1', end + 9, end + statusEnd) === '100')
      bytes.write('2', end + statusEnd - 1, 'latin1');
    end = next + headEnd.length;
  }
}
