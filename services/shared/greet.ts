import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { hopAgent } from './connections.ts';
import { type Tls, tlsConnector } from './tls.ts';

// A connection that was accepted by an operating system, or by a proxy, has not reached a process yet: one that is ending leaves it
// to be reset, and with it the first request on it, of which nobody knows whether it was processed. So nothing is sent on a
// connection before the process behind it has answered once. HEAD, since its answer has no body, whoever gives it.

const greeting = `HEAD / HTTP/1.1\r\nhost: bailiwick\r\nuser-agent: ${hopAgent}\r\n\r\n`;

/** The code of the error of a connection that has reached no process: nothing was sent on it. */
export const notGreeted = 'BAILIWICK_NOT_GREETED';

type Options = { connectMs: number; greetMs: number; tls: Tls | undefined };

/** A connector for undici whose connections have reached a process. */
export function greetingConnector({ connectMs, greetMs, tls }: Options): buildConnector.connector {
  const connect = tls ? tlsConnector(tls, connectMs) : buildConnector({ timeout: connectMs });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error || !socket) return callback(unreached('there is no connection', error), null);
      greet(socket, greetMs, (failure) =>
        failure ? callback(failure, null) : callback(null, socket),
      );
    });
}

const unreached = (problem: string, cause: Error | null | undefined) =>
  Object.assign(new Error(problem, { cause }), { code: notGreeted });

function greet(socket: Socket, timeoutMs: number, done: (failure?: Error) => void): void {
  let answer = '';
  const timer = setTimeout(() => settle('no answer in time'), timeoutMs);
  let failure: Error | undefined;
  const onClose = () => settle('it was closed without an answer');
  const onError = (error: Error) => void (failure = error); // "close" follows

  function settle(problem?: string): void {
    clearTimeout(timer);
    socket.off('readable', onReadable).off('close', onClose);
    if (problem === undefined) {
      socket.off('error', onError);
      return done();
    }
    socket.destroy();
    done(unreached(`a connection was not greeted: ${problem}`, failure));
  }

  function onReadable(): void {
    for (
      let chunk = socket.read() as Uint8Array | null;
      chunk !== null;
      chunk = socket.read() as Uint8Array | null
    )
      answer += String(chunk);
    if (!answer.includes('\r\n\r\n')) return;
    settle(/\r\nconnection: close\r\n/i.test(answer) ? 'the process ends' : undefined);
  }

  socket.on('error', onError).on('close', onClose).on('readable', onReadable);
  socket.write(greeting);
}
