import { failureOf, streamOf, successOf } from './answer.ts';
import { type Deadline, orAborted, pause, startDeadline } from './deadline.ts';
import { CallTimeoutError, errorOf } from './errors.ts';
import { withIdempotencyKey, withoutSideEffects } from './gen/operations.ts';
import type { Operations, Streams } from './gen/types.ts';
import { createPositions, type Positions, positionHeader } from './positions.ts';
import { waitBeforeRetry } from './retry.ts';
import { readUrl } from './url.ts';

/** The documented name of an operation. */
export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = Operations[Name]['request'];
export type ResponseOf<Name extends OperationName> = Operations[Name]['response'];

/** The item type of an operation's pages; never if it returns no pages. */
export type ItemOf<Name extends OperationName> =
  ResponseOf<Name> extends { Page: { Items: Array<infer Item>; NextCursor: string } }
    ? Item
    : never;
/** The operations that return a page of a list. */
export type ListName = {
  [Name in OperationName]: [ItemOf<Name>] extends [never] ? never : Name;
}[OperationName];
/** The operations whose response is one long text. */
export type StreamName = keyof Streams;

/** A session token or bot key, or a function that returns one before every attempt. Without a token a call is anonymous, or has the cookie of the page's own origin. */
export type Token = string | (() => string | undefined | Promise<string | undefined>);

export type CallOptions = {
  signal?: AbortSignal | undefined;
  /** Time limit of the call including its retries, in ms; for a stream, until it begins. Default: 30 s. Infinity = no limit. */
  timeoutMs?: number | undefined;
  /**
   * Makes retries safe: for 24 hours every call with this key and this request gets the first response. 1 to 255 printable
   * ASCII characters. By default each call that changes data gets its own key, which its retries share. Operations that
   * change nothing or require no credential ignore it.
   */
  idempotencyKey?: string | undefined;
};

export type ClientOptions = {
  /** The URL of Bailiwick, with its path prefix: https://example.com/iam */
  url: string;
  token?: Token | undefined;
  timeoutMs?: number | undefined;
  /** Maximum number of retries. Default: 3. */
  retries?: number | undefined;
  /** Longest wait before a retry, in ms. Default: 30 s. If the service asks for more, the call fails at once. */
  maxWaitMs?: number | undefined;
  /** The user agent, which the audit shows. Empty: the runtime's own. */
  userAgent?: string | undefined;
  /** Replaces the global fetch. */
  fetch?: typeof globalThis.fetch | undefined;
};

export type Client = {
  /** Calls an operation by its documented name. @throws BailiwickError if the call fails. */
  readonly call: <Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ) => Promise<ResponseOf<Name>>;
  /** Iterates over all items of a list, and fetches pages as needed. The options apply to the call of each page. */
  readonly list: <Name extends ListName>(
    operation: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ) => AsyncGenerator<ItemOf<Name>, void, undefined>;
  /** Returns a long text as a stream: read `body`, or await `text()`. Both fail if the text is cut off. */
  readonly stream: <Name extends StreamName>(
    operation: Name,
    request: Streams[Name]['request'],
    options?: CallOptions,
  ) => Promise<Response>;
};

const defaults = {
  timeoutMs: 30_000,
  retries: 3,
  maxWaitMs: 30_000,
  userAgent: 'bailiwick-client',
};

export function createClient(options: ClientOptions): Client {
  const base = readUrl(options.url);
  const overrides = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const settings: Settings = {
    ...defaults,
    fetch: globalThis.fetch,
    ...overrides,
    url: base,
    positions: createPositions(),
  };

  const call: Client['call'] = async (operation, request, callOptions) =>
    // The only place that trusts the response to have its documented type.
    (await perform(settings, { operation, request, read: successOf }, callOptions)) as ResponseOf<
      typeof operation
    >;

  return {
    call,
    list: (operation, request, callOptions) => items(call, operation, request, callOptions),
    stream: (operation, request, callOptions) =>
      perform(
        settings,
        {
          operation,
          request,
          read: (_, response, deadline) => Promise.resolve(streamOf(response, deadline.release)),
          streams: true,
        },
        callOptions,
      ),
  };
}

type Settings = ClientOptions &
  typeof defaults & { fetch: typeof globalThis.fetch; positions: Positions };

type Job<Answer> = {
  operation: string;
  request: object;
  read: (operation: string, response: Response, deadline: Deadline) => Promise<Answer>;
  streams?: boolean;
  /** The positions of the last changes, for a call that changes nothing. */
  positions?: string | undefined;
};

/** Makes one call. A read follows the last changes, and a change is remembered for the next reads. */
async function perform<Answer>(
  settings: Settings,
  job: Job<Answer>,
  options?: CallOptions,
): Promise<Answer> {
  const { positions } = settings;
  if (withoutSideEffects.has(job.operation))
    return attempt(settings, { ...job, positions: positions.header() }, options);
  const noteChange = positions.begin();
  let position = '';
  const read: Job<Answer>['read'] = (operation, response, deadline) => {
    position = response.headers.get(positionHeader) ?? '';
    return job.read(operation, response, deadline);
  };
  try {
    return await attempt(settings, { ...job, read }, options);
  } finally {
    noteChange(position);
  }
}

/** Makes one call with its retries, within the time limit. */
async function attempt<Answer>(
  settings: Settings,
  job: Job<Answer>,
  options: CallOptions = {},
): Promise<Answer> {
  const deadline = startDeadline(options.signal, options.timeoutMs ?? settings.timeoutMs);
  const key = withIdempotencyKey.has(job.operation)
    ? (options.idempotencyKey ?? newKey())
    : undefined;
  const repeatable = key !== undefined || withoutSideEffects.has(job.operation);
  let hasAnswer = false;
  try {
    for (let count = 1; ; count++) {
      try {
        const answer = await send(settings, job, deadline, key);
        hasAnswer = true;
        return answer;
      } catch (error) {
        deadline.signal.throwIfAborted();
        const waitMs = waitBeforeRetry(error, count, repeatable, settings);
        if (waitMs === undefined) throw error;
        await pause(waitMs, deadline.signal);
      }
    }
  } catch (error) {
    if (!deadline.expired()) throw error;
    const Messages = ['there was no response in time'];
    throw new CallTimeoutError(
      { operation: job.operation, status: 0, Code: 'deadline_exceeded', Messages, RequestID: '' },
      { cause: error },
    );
  } finally {
    // A stream can be aborted until it has been read.
    if (hasAnswer && job.streams) deadline.stopClock();
    else deadline.release();
  }
}

/** A key of 128 random bits. crypto.randomUUID is missing on pages that are not served over https. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

async function send<Answer>(
  settings: Settings,
  { operation, request, read, positions }: Job<Answer>,
  deadline: Deadline,
  key: string | undefined,
): Promise<Answer> {
  const { signal } = deadline;
  signal.throwIfAborted();
  const token =
    typeof settings.token === 'function'
      ? await orAborted(settings.token(), signal)
      : settings.token;
  // fetch would repeat the token in its error message.
  if (token !== undefined && !/^[!-~]*$/.test(token))
    throw new TypeError('the token contains invalid characters');
  const headers = {
    'content-type': 'application/json',
    ...(settings.userAgent === '' ? {} : { 'user-agent': settings.userAgent }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(positions === undefined ? {} : { [positionHeader]: positions }),
    ...(token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }),
  };
  const { fetch, url } = settings;
  // A followed redirect would turn the POST into a GET, and could send the token to another host.
  const init = {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
    signal,
    redirect: 'manual',
  } as const;
  try {
    const response = await fetch(`${url}/${operation}`, init);
    if (response.status !== 200) throw await failureOf(operation, response);
    return await read(operation, response, deadline);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // fetch throws a TypeError for every network error.
    throw errorOf(
      {
        operation,
        status: 0,
        Code: 'unavailable',
        Messages: [`${url} cannot be reached`],
        RequestID: '',
      },
      { cause: error },
    );
  }
}

async function* items<Name extends ListName>(
  call: Client['call'],
  operation: Name,
  request: RequestOf<Name>,
  options: CallOptions | undefined,
): AsyncGenerator<ItemOf<Name>, void, undefined> {
  const { Page: page } = request as { Page?: { Limit?: number; Cursor?: string } };
  let cursor = page?.Cursor ?? '';
  do {
    const { Page } = (await call(
      operation,
      { ...request, Page: { ...page, Cursor: cursor } },
      options,
    )) as {
      Page: { Items: Array<ItemOf<Name>>; NextCursor: string };
    };
    yield* Page.Items;
    cursor = Page.NextCursor;
  } while (cursor !== '');
}
