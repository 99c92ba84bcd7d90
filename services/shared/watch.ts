import { isDeepStrictEqual } from 'node:util';
import type { Mounted } from './config.ts';
import type { Log } from './log.ts';

// Files that are replaced while a process runs: keys and certificates that somebody rotates. They are read again and again, since
// what a file system tells of changes does not survive the links that Kubernetes swaps. They are small, and lie in memory.

const everyMs = 1000;

type Watched<Content> = {
  /** For the log. */
  what: string;
  /** What has been taken up already. */
  content: Content;
  read: () => Content;
  /** Takes something new up. Throws where it is not whole, and has changed nothing then. */
  take: (content: Content) => void;
  log: Log;
};

type Look<Content> = { content: Content } | { failure: string };

/**
 * Takes up what is new once two looks in a row have seen the same: whoever writes is not halfway then. What is not whole is left
 * alone, and told of once, until something else is there.
 */
export function watchContent<Content>({ what, content, read, take, log }: Watched<Content>): void {
  let taken = content;
  let last: Look<Content> = { content };
  let refused = false;

  function refuse(error: unknown): void {
    if (!refused) log.warn(`what is new of ${what} cannot be used: the old stays`, { error });
    refused = true;
  }

  const timer = setInterval(() => {
    const now = attempt(read);
    const isSettled = isDeepStrictEqual(now, last);
    last = now;
    if (!isSettled) return;
    if ('failure' in now) return refuse(now.failure);
    if (isDeepStrictEqual(now.content, taken)) {
      refused = false;
      return;
    }
    try {
      take(now.content);
    } catch (error) {
      return refuse(error instanceof Error ? error.message : error);
    }
    taken = now.content;
    refused = false;
    log.info(`took up what is new of ${what}`);
  }, everyMs);
  timer.unref();
}

/** The same of something mounted, which was taken up as it was at the start. */
export function watchMounted<Content>(
  { path, content, read }: Mounted<Content>,
  log: Log,
  take: (content: Content) => void,
): void {
  watchContent({ what: path, content, read, take, log });
}

function attempt<Content>(read: () => Content): Look<Content> {
  try {
    return { content: read() };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
