import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tail } from './daemon.ts';
import type { ManagedProcess } from './processes.ts';

/** Without progress, and with it. */
type Limits = { idleMs: number; longestMs: number };
const defaults: Limits = { idleMs: 60_000, longestMs: 10 * 60_000 };

/**
 * Waits until every URL answers 200. A slow machine may take longer than the limit, as long as
 * something happens: an answer of any status, or a line in a log. @throws an error with the end of each log
 */
export async function waitUntilReady(
  urls: readonly string[],
  processes: readonly ManagedProcess[],
  signal: AbortSignal,
  { idleMs, longestMs }: Limits = defaults,
): Promise<void> {
  const began = Date.now();
  let last = { at: began, state: '' };
  const statuses = new Map<string, number>(urls.map((url) => [url, 0]));
  for (;;) {
    await Promise.all(urls.map(async (url) => statuses.set(url, await statusOf(url))));
    const waiting = urls.filter((url) => statuses.get(url) !== 200);
    if (waiting.length === 0) return;
    const state = JSON.stringify([...statuses.values(), ...processes.map(logSize)]);
    const isIdle = state === last.state && Date.now() - last.at > idleMs;
    if (state !== last.state) last = { at: Date.now(), state };
    signal.throwIfAborted();
    if (processes.some((one) => one.hasRefused())) {
      // Other processes report their own settings' problems a moment later.
      await sleep(1500);
      const refused = processes.filter((one) => one.hasRefused());
      throw new Error(
        `${refused.map(({ name }) => name).join(', ')} cannot run with these settings, see above`,
      );
    }
    if (isIdle || Date.now() - began > longestMs)
      throw new Error(explain(waiting, processes, Date.now() - began));
    await sleep(50);
  }
}

const logSize = ({ logFile }: ManagedProcess): number =>
  statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;

/** 0 without an answer. */
async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}

function explain(
  urls: readonly string[],
  processes: readonly ManagedProcess[],
  ms: number,
): string {
  const logs = processes.map(
    ({ name, logFile }) => `--- ${name} (${logFile})\n${tail(logFile, 10)}`,
  );
  return `not ready after ${Math.round(ms / 1000)} s: ${urls.join(', ')}\n${logs.join('\n')}`;
}
