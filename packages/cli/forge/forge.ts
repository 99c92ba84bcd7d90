import { setTimeout as wait } from 'node:timers/promises';
import { exitCodes, Refusal } from '../failure.ts';
import { printable } from '../text.ts';

// The comments of one pull or merge request.

export type Comment = { id: number; body: string; isOwn: boolean };

export type Forge = {
  /** One page of the comments. Pages begin with 1. */
  list: (page: number) => Promise<{ comments: Comment[]; more: boolean }>;
  create: (body: string) => Promise<void>;
  update: (id: number, body: string) => Promise<void>;
};

/** The forge is overloaded or unreachable. A retry can succeed. */
class Unavailable extends Error {
  readonly afterMs: number | undefined;

  constructor(message: string, afterMs?: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

export type Requests = {
  /** Headers of each request, with the token. */
  headers: Readonly<Record<string, string>>;
  /** The permission that the job needs, for the message of a refusal. */
  needs: string;
};

type Answer = { json: unknown; more: boolean };

/** Sends a request to a forge. @throws Refusal, Unavailable */
export async function request(
  { headers, needs }: Requests,
  method: string,
  url: URL,
  body?: object,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      'user-agent': 'bailiwick-cli',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    // The token must not follow a redirect to another host.
    redirect: 'error',
    signal: AbortSignal.timeout(30_000),
  }).catch(() => {
    throw new Unavailable(`${url.host} cannot be reached`);
  });
  const json: unknown = await response.json().catch(() => undefined);
  if (response.ok) return { json, more: /rel="next"/.test(response.headers.get('link') ?? '') };
  const { message } = (json ?? {}) as { message?: unknown };
  const reason = typeof message === 'string' ? `: ${printable(message).slice(0, 200)}` : '';
  const text = `${url.host} answered ${method} ${url.pathname} with ${response.status}${reason}`;
  // GitHub answers 403 with Retry-After to too many requests.
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  if (response.status >= 500 || response.status === 429 || !Number.isNaN(after))
    throw new Unavailable(text, Number.isNaN(after) ? undefined : after * 1000);
  throw new Refusal(
    [401, 403, 404].includes(response.status) ? `${text}\nthe job needs ${needs}` : text,
  );
}

/** A request with more comments than this is not searched to its end. */
const maxPages = 100;

async function findOwn(forge: Forge, marker: string): Promise<Comment | undefined> {
  for (let page = 1; page <= maxPages; page++) {
    const { comments, more } = await forge.list(page);
    // Anyone can write the marker into a comment, and change that comment after an update.
    const comment = comments.find(({ isOwn, body }) => isOwn && body.startsWith(marker));
    if (comment !== undefined || !more) return comment;
  }
  return undefined;
}

const attempts = 4;
const firstWaitMs = 1000;
const longestWaitMs = 30_000;

/** Creates the comment that begins with the marker, or replaces its text. */
export async function saveComment(
  forge: Forge,
  marker: string,
  text: string,
): Promise<'created' | 'updated'> {
  for (let attempt = 1; ; attempt++) {
    try {
      // All of it again after an error: a comment can exist although its response was lost.
      const own = await findOwn(forge, marker);
      const body = `${marker}\n${text}`;
      await (own === undefined ? forge.create(body) : forge.update(own.id, body));
      return own === undefined ? 'created' : 'updated';
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (attempt === attempts) throw new Refusal(error.message, exitCodes.unavailable);
      await wait(Math.min(error.afterMs ?? firstWaitMs * 2 ** (attempt - 1), longestWaitMs));
    }
  }
}
