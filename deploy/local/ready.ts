import { setTimeout as sleep } from 'node:timers/promises';
import { tail } from './daemon.ts';
import type { ManagedProcess } from './processes.ts';

const limitMs = 60_000;

/** Waits until every URL answers 200. @throws an error with the end of each log */
export async function waitUntilReady(
  urls: readonly string[],
  processes: readonly ManagedProcess[],
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + limitMs;
  const waiting = new Set(urls);
  while (waiting.size > 0) {
    await Promise.all([...waiting].map(async (url) => (await isReady(url)) && waiting.delete(url)));
    if (waiting.size === 0) return;
    signal.throwIfAborted();
    if (processes.some((one) => one.hasRefused())) {
      // Other processes report their own settings' problems a moment later.
      await sleep(1500);
      const refused = processes.filter((one) => one.hasRefused());
      throw new Error(
        `${refused.map(({ name }) => name).join(', ')} cannot run with these settings, see above`,
      );
    }
    if (Date.now() > deadline) throw new Error(explain([...waiting], processes));
    await sleep(50);
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}

function explain(urls: readonly string[], processes: readonly ManagedProcess[]): string {
  const logs = processes.map(
    ({ name, logFile }) => `--- ${name} (${logFile})\n${tail(logFile, 10)}`,
  );
  return `not ready after ${limitMs / 1000} s: ${urls.join(', ')}\n${logs.join('\n')}`;
}
