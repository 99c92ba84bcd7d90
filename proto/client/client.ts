import { failureOf, streamOf, successOf } from './answer.ts';
import { type Deadline, orAborted, pause, startDeadline } from './deadline.ts';
import { CallTimeoutError, errorOf } from './errors.ts';
import { withIdempotencyKey, withoutSideEffects } from './gen/operations.ts';
import type { Operations, Streams } from './gen/types.ts';
import { waitBeforeRetry } from './retry.ts';
import { readUrl } from './url.ts';

/** The name of an operation, as it is documented. */
export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = Operations[Name]['request'];
export type ResponseOf<Name extends OperationName> = Operations[Name]['response'];

/** What the pages of an operation hold; never, where it answers none. */
export type ItemOf<Name extends OperationName> =
  ResponseOf<Name> extends { Page: { Items: Array<infer Item>; NextCursor: string } }
    ? Item
    : never;
/** The operations that answer a page of a list. */
export type ListName = {
  [Name in OperationName]: [ItemOf<Name>] extends [never] ? never : Name;
}[OperationName];
/** The operations whose answer is one long text. */
export type StreamName = keyof Streams;

/** A session token or a bot key, or what gets one: asked before every attempt. Without one a call is anonymous. */
export type Token = string | (() => string | undefined | Promise<string | undefined>);

export type CallOptions = {
  signal?: AbortSignal | undefined;
  /** For the whole call, its retries included; of a stream, until it begins. 30 s unless said otherwise, Infinity = no limit. */
  timeoutMs?: number | undefined;
  /**
   * Makes several calls one: for 24 hours each call with this key and this request gets the first answer. 1 to 255 printable ASCII
   * characters. Without one, each call that changes something gets a key of its own, which its retries share. Operations that
   * change nothing or take no credential ignore it.
   */
  idempotencyKey?: string | undefined;
};

export type ClientOptions = {
  /** Where Bailiwick is, with its path if it has one: https://example.com/iam */
  url: string;
  token?: Token | undefined;
  timeoutMs?: number | undefined;
  /** How often a call is repeated at most: 3. */
  retries?: number | undefined;
  /** The longest wait before one: 30 s. Where the service asks for more, the call fails at once. */
  maxWaitMs?: number | undefined;
  /** What the audit shall say of the caller's program. */
  userAgent?: string | undefined;
  /** In place of the global one. */
  fetch?: typeof globalThis.fetch | undefined;
};

export type Client = {
  /** Calls an operation by its documented name. Throws a BailiwickError where it fails. */
  readonly call: <Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ) => Promise<ResponseOf<Name>>;
  /** All items of a list, page by page as they are wanted. The options are those of each page's call. */
  readonly list: <Name extends ListName>(
    operation: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ) => AsyncGenerator<ItemOf<Name>, void, undefined>;
  /** A long text as it comes: read `body`, or wait for `text()`. A text that breaks off is an error there. */
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
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const settings: Settings = { ...defaults, fetch: globalThis.fetch, ...given, url: base };

  const call: Client['call'] = async (operation, request, callOptions) =>
    // The one place where the answer is believed to be what the proto files say.
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

type Settings = ClientOptions & typeof defaults & { fetch: typeof globalThis.fetch };

type Job<Answer> = {
  operation: string;
  request: object;
  read: (operation: string, response: Response, deadline: Deadline) => Promise<Answer>;
  streams?: boolean;
};

/** One call with its retries, within its time. */
async function perform<Answer>(
  settings: Settings,
  job: Job<Answer>,
  options: CallOptions = {},
): Promise<Answer> {
  const deadline = startDeadline(options.signal, options.timeoutMs ?? settings.timeoutMs);
  const key = withIdempotencyKey.has(job.operation)
    ? (options.idempotencyKey ?? newKey())
    : undefined;
  const repeatable = key !== undefined || withoutSideEffects.has(job.operation);
  let answered = false;
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await send(settings, job, deadline, key);
        answered = true;
        return answer;
      } catch (error) {
        deadline.signal.throwIfAborted();
        const waitMs = waitBeforeRetry(error, attempt, repeatable, settings);
        if (waitMs === undefined) throw error;
        await pause(waitMs, deadline.signal);
      }
    }
  } catch (error) {
    if (!deadline.expired()) throw error;
    const Messages = ['there was no answer in time'];
    throw new CallTimeoutError(
      { operation: job.operation, status: 0, Code: 'deadline_exceeded', Messages, RequestID: '' },
      { cause: error },
    );
  } finally {
    // What is streamed can still be aborted, until it has been read.
    if (answered && job.streams) deadline.stopClock();
    else deadline.release();
  }
}

/** 128 random bits. crypto.randomUUID is missing on pages that are not served over https. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

async function send<Answer>(
  settings: Settings,
  { operation, request, read }: Job<Answer>,
  deadline: Deadline,
  key: string | undefined,
): Promise<Answer> {
  const { signal } = deadline;
  signal.throwIfAborted();
  const token =
    typeof settings.token === 'function'
      ? await orAborted(settings.token(), signal)
      : settings.token;
  // What fetch would say of it has the token in it.
  if (token !== undefined && !/^[!-~]*$/.test(token))
    throw new TypeError('the token holds characters that no token has');
  const headers = {
    'content-type': 'application/json',
    'user-agent': settings.userAgent,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }),
  };
  const { fetch, url } = settings;
  // A redirect would turn the POST into a GET, and carry the token to who knows where.
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
    // fetch throws one for whatever the network says.
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
  const { Page: asked } = request as { Page?: { Limit?: number; Cursor?: string } };
  let cursor = asked?.Cursor ?? '';
  do {
    const { Page } = (await call(
      operation,
      { ...request, Page: { ...asked, Cursor: cursor } },
      options,
    )) as {
      Page: { Items: Array<ItemOf<Name>>; NextCursor: string };
    };
    yield* Page.Items;
    cursor = Page.NextCursor;
  } while (cursor !== '');
}
