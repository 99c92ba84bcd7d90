import { type BailiwickError, type ErrorParams, type ErrorProblem, errorOf } from './errors.ts';
import { retryAfterSeconds } from './retry.ts';

// Reads responses. A proxy in front of the gateway can answer in a format of its own.

/** Returns the JSON of a successful response. Throws if it is not JSON: the server is not Bailiwick. */
export async function successOf(operation: string, response: Response): Promise<unknown> {
  const text = await response.text();
  const json = parse(text);
  if (json !== undefined) return json;
  throw errorOf({
    operation,
    status: response.status,
    Code: 'internal',
    Messages: ['the response is not JSON: is this the address of Bailiwick?'],
    RequestID: '',
  });
}

/** Returns a successful response as a stream. `onEnd` is called when it ends, fails or is cancelled. */
export function streamOf(response: Response, onEnd: () => void): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const end = response.body?.pipeTo(writable) ?? writable.close();
  // The reader of the stream gets the error.
  void end.catch(() => {}).finally(onEnd);
  return new Response(readable, response);
}

/** The error of a failed response. */
export async function failureOf(operation: string, response: Response): Promise<BailiwickError> {
  const { status, headers } = response;
  const { Code, Reason, Messages, RequestID, ...more } = parse(await response.text()) ?? {};
  const messages = Array.isArray(Messages)
    ? Messages.filter((message) => typeof message === 'string')
    : [];
  return errorOf({
    operation,
    status,
    Code: typeof Code === 'string' ? Code : codeOf(status),
    Reason: typeof Reason === 'string' ? Reason : '',
    Messages: messages.length > 0 ? messages : [describe(response)],
    Params: paramsIn(more['Params']),
    Problems: Array.isArray(more['Problems']) ? more['Problems'].map(problemIn) : [],
    RequestID: typeof RequestID === 'string' ? RequestID : '',
    retryAfter: retryAfterSeconds(headers.get('retry-after')),
  });
}

const paramsIn = (value: unknown): ErrorParams =>
  Object.fromEntries(
    Object.entries(value ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

function problemIn(value: unknown): ErrorProblem {
  const { Field, Rule, Params } = (value ?? {}) as Partial<Record<keyof ErrorProblem, unknown>>;
  const textIn = (text: unknown) => (typeof text === 'string' ? text : '');
  return { Field: textIn(Field), Rule: textIn(Rule), Params: paramsIn(Params) };
}

/** The message for a response without Messages. For a redirect, a browser hides the status and the target. */
function describe({ status, type, headers }: Response): string {
  if (type !== 'opaqueredirect' && (status < 300 || status >= 400))
    return `the response was HTTP ${status}`;
  const location = headers.get('location');
  return `redirected${location === null ? '' : ` to ${location}`}: is this the right address?`;
}

function codeOf(status: number): string {
  if (status === 401) return 'unauthenticated';
  if (status === 403) return 'permission_denied';
  if (status === 429) return 'resource_exhausted';
  if (status >= 502 && status <= 504) return 'unavailable';
  return 'internal';
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
