import { isDeepStrictEqual } from 'node:util';
import { everySecond } from '../telemetry/every-second.ts';
import type { Log } from '../telemetry/log.ts';
import type { Mounted } from './config.ts';

// Watches mounted files that are replaced while a process runs: rotated keys and certificates. The
// files are polled, since file-system events do not survive the symbolic links that Kubernetes
// swaps. They are small and stay in the page cache.

/** An unchanged file is read every two seconds, and a changed one again after one. */
const everySeconds = 2;

type Watched<Content> = {
  /** For the log. */
  what: string;
  /** The content in use. */
  content: Content;
  read: () => Content;
  /** Applies new content. Throws, without any change, if it is invalid. */
  take: (content: Content) => void;
  log: Log;
};

type Reading<Content> = { content: Content } | { failure: string };

/**
 * Reloads after two identical reads in a row, so that a half-written file is never used. Invalid
 * content is ignored and logged once, until the content changes.
 */
export function watchContent<Content>({ what, content, read, take, log }: Watched<Content>): void {
  let current = content;
  let last: Reading<Content> = { content };
  let refused = false;
  let isSettled = true;

  function refuse(error: unknown): void {
    if (!refused) log.warn(`reloading ${what} failed, keeping the old content`, { error });
    refused = true;
  }

  let second = 0;
  everySecond(() => {
    if (++second % everySeconds !== 0 && isSettled) return;
    const now = attempt(read);
    isSettled = isDeepStrictEqual(now, last);
    last = now;
    if (!isSettled) return;
    if ('failure' in now) return refuse(now.failure);
    if (isDeepStrictEqual(now.content, current)) {
      refused = false;
      return;
    }
    try {
      take(now.content);
    } catch (error) {
      return refuse(error instanceof Error ? error.message : error);
    }
    current = now.content;
    refused = false;
    log.info(`reloaded ${what}`);
  });
}

/** Watches a mounted file or directory, whose content at the start is in use. */
export function watchMounted<Content>(
  { path, content, read }: Mounted<Content>,
  log: Log,
  take: (content: Content) => void,
): void {
  watchContent({ what: path, content, read, take, log });
}

function attempt<Content>(read: () => Content): Reading<Content> {
  try {
    return { content: read() };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
