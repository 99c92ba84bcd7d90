import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';

// The reference systems run in processes of their own, like the product.

export type Peer<Ready> = {
  pid: number;
  /** The message that the process sent when it was ready. */
  ready: Ready;
  ask<Answer>(question: unknown): Promise<Answer>;
  stop(): Promise<void>;
};

/** Starts a script of `peers` and waits until it is ready. */
export async function startPeer<Ready>(
  script: string,
  ...args: readonly string[]
): Promise<Peer<Ready>> {
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = fork(path.join(import.meta.dirname, 'peers', script), args, {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ready = await nextMessage<Ready>(child, script);
  return {
    pid: child.pid ?? 0,
    ready,
    ask(question) {
      const answer = nextMessage(child, script);
      child.send(question as object);
      return answer as Promise<never>;
    },
    stop() {
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill();
      return ended;
    },
  };
}

function nextMessage<T>(child: ChildProcess, script: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null) => reject(new Error(`${script} ended with ${code}`));
    child.once('exit', failed);
    child.once('message', (message) => {
      child.off('exit', failed);
      resolve(message as T);
    });
  });
}

/**
 * The process's side: sends the ready message, answers the bench's questions, and ends with the
 * bench.
 */
export function serveBench(ready: unknown, answer?: (question: never) => Promise<unknown>): void {
  process.on(
    'message',
    (question) => void answer?.(question as never).then((reply) => process.send?.(reply)),
  );
  process.on('disconnect', () => process.exit());
  process.send?.(ready);
}
