import { Buffer } from 'node:buffer';
import { type Egress, type EgressAnswer, RequestFailed, request } from '@bailiwick/egress';
import { SignInRefused } from '../refusal.ts';
import { jsonProblem, parseArray, parseObject } from './json.ts';
import { invalidAnswer, namedError } from './library-errors.ts';

/** 10 s for all requests of one sign-in. */
export const limits = { totalMs: 10_000, connectMs: 5000, answerBytes: 1024 * 1024 };

export type Limits = Pick<typeof limits, 'totalMs' | 'answerBytes'>;

/** The remaining time of a sign-in: `until` in milliseconds of the performance clock. */
export type Budget = { until: number; answerBytes: number; signal: AbortSignal };

export const startBudget = ({ totalMs, answerBytes }: Limits, signal: AbortSignal): Budget => ({
  until: performance.now() + totalMs,
  answerBytes,
  signal,
});

type FetchOptions = {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: URLSearchParams | null | undefined;
};

/** `userinfo`: an object, also as a signed JWT, which the caller verifies. */
type Form = 'object' | 'array' | 'userinfo';

/**
 * The fetch function for oauth4webapi. It goes through the egress guard and returns only JSON with
 * status 200, in the expected form. `what` begins the messages of refusals.
 */
export function createFetch(
  egress: Egress,
  { until, answerBytes, signal }: Budget,
  what: string,
  form: Form = 'object',
) {
  return async (url: string, { method, headers, body }: FetchOptions): Promise<Response> => {
    const answer = await request(egress, {
      method,
      url,
      headers: { ...headers, 'user-agent': 'Bailiwick' },
      ...(body ? { body: Buffer.from(body.toString()) } : {}),
      limits: { totalMs: Math.max(1, until - performance.now()), answerBytes },
      signal,
    }).catch((error: unknown) => {
      throw error instanceof RequestFailed ? unreachable(what, error) : error;
    });
    return read(what, answer, form);
  };
}

// Permanent failures: the provider or its administrator configured the address, so a retry does not
// help.
const permanent: ReadonlySet<RequestFailed['failure']> = new Set([
  'blocked_address',
  'invalid_url',
  'response_too_large',
]);

const unreachable = (what: string, { failure, message }: RequestFailed): SignInRefused =>
  new SignInRefused(
    permanent.has(failure) ? 'ANSWER_INVALID' : 'PROVIDER_UNREACHABLE',
    `${what} cannot be fetched: ${message}.`,
  );

function read(
  what: string,
  { status, headers, body, truncated }: EgressAnswer,
  form: Form,
): Response {
  if (status >= 500 || status === 429)
    throw new SignInRefused('PROVIDER_UNREACHABLE', `${what} returned status ${status}.`);
  if (status >= 300 && status < 400)
    throw invalidAnswer(`${what} returned a redirect, and redirects are not followed.`);
  if (truncated) throw invalidAnswer(`${what} is larger than the limit.`);
  if (status !== 200) {
    const code = parseObject(body)?.['error'];
    throw invalidAnswer(`${what} returned status ${status}${namedError(code)}.`);
  }
  const type = headers['content-type'] ?? '';
  if (form === 'userinfo' && /^application\/jwt *(;|$)/i.test(type))
    return new Response(Buffer.from(body), { headers: { 'content-type': 'application/jwt' } });
  if (!/^application\/(json|[\w.-]+\+json) *(;|$)/i.test(type))
    throw invalidAnswer(`${what} does not come as application/json.`);
  const json = form === 'array' ? parseArray(body) : parseObject(body);
  if (!json) throw invalidAnswer(`${what} is not a JSON ${form === 'array' ? 'array' : 'object'}.`);
  const problem = jsonProblem(json);
  if (problem !== undefined) throw invalidAnswer(`${what} ${problem}.`);
  return Response.json(json);
}
