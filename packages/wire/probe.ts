import type { Socket } from 'node:net';
import { hopAgent, type Tls, tlsConnector } from '@bailiwick/process';
import { buildConnector } from 'undici';

// A new connection may have been accepted by the operating system or by a proxy without reaching a
// process. If that process is ending, the connection is reset together with its first request, and
// the client cannot know whether the request was processed. So the client sends nothing on a
// connection before a probe has got a response. The probe is a HEAD request, whose response has no
// body from any server.

const probeRequest = `HEAD / HTTP/1.1\r\nhost: bailiwick\r\nuser-agent: ${hopAgent}\r\n\r\n`;

/** The error code of a connection that reached no process: nothing was sent on it. */
export const probeFailed = 'BAILIWICK_PROBE_FAILED';

type Options = { connectMs: number; probeMs: number; tls: Tls | undefined };

/** A connector for undici that probes each new connection. */
export function probingConnector({ connectMs, probeMs, tls }: Options): buildConnector.connector {
  const connect = tls ? tlsConnector(tls, connectMs) : buildConnector({ timeout: connectMs });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error || !socket) return callback(unreached('connecting failed', error), null);
      probe(socket, probeMs, (failure) =>
        failure ? callback(failure, null) : callback(null, socket),
      );
    });
}

const unreached = (problem: string, cause: Error | null | undefined) =>
  Object.assign(new Error(problem, { cause }), { code: probeFailed });

function probe(socket: Socket, timeoutMs: number, report: (failure?: Error) => void): void {
  let answer = '';
  const timer = setTimeout(() => settle('no response in time'), timeoutMs);
  let failure: Error | undefined;
  const onClose = () => settle('closed without a response');
  const onError = (error: Error) => void (failure = error); // "close" follows

  function settle(problem?: string): void {
    clearTimeout(timer);
    socket.off('readable', onReadable).off('close', onClose);
    if (problem === undefined) {
      socket.off('error', onError);
      return report();
    }
    socket.destroy();
    report(unreached(`connection probe failed: ${problem}`, failure));
  }

  function onReadable(): void {
    for (
      let chunk = socket.read() as Uint8Array | null;
      chunk !== null;
      chunk = socket.read() as Uint8Array | null
    )
      answer += String(chunk);
    if (!answer.includes('\r\n\r\n')) return;
    settle(/\r\nconnection: close\r\n/i.test(answer) ? 'the process is shutting down' : undefined);
  }

  socket.on('error', onError).on('close', onClose).on('readable', onReadable);
  socket.write(probeRequest);
}
