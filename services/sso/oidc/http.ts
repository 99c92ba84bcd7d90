import { Buffer } from 'node:buffer';
import { RequestFailed } from '@bailiwick/shared/egress/failure.ts';
import { type Egress, type EgressAnswer, request } from '@bailiwick/shared/egress/request.ts';
import { SignInRefused } from '../sign-in/refusal.ts';
import { invalidAnswer, namedError } from './failure.ts';
import { jsonProblem, parseObject } from './json.ts';

/** 10 s for all requests of a sign-in together. */
export const limits = { totalMs: 10_000, connectMs: 5000, answerBytes: 1024 * 1024 };

export type Limits = Pick<typeof limits, 'totalMs' | 'answerBytes'>;

/** What is left of a sign-in's time: `until` in milliseconds of the performance clock. */
export type Budget = { until: number; answerBytes: number; signal: AbortSignal };

export const startBudget = ({ totalMs, answerBytes }: Limits, signal: AbortSignal): Budget => ({
  until: performance.now() + totalMs,
  answerBytes,
  signal,
});

type Wanted = {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: URLSearchParams | null | undefined;
};

/** The fetch that oauth4webapi calls: through the guard, and answering nothing but JSON of status 200. `what` begins the refusals. */
export function createFetch(egress: Egress, { until, answerBytes, signal }: Budget, what: string) {
  return async (url: string, { method, headers, body }: Wanted): Promise<Response> => {
    const answer = await request(egress, {
      method,
      url,
      headers: { ...headers, 'user-agent': 'Bailiwick' },
      ...(body ? { body: Buffer.from(body.toString()) } : {}),
      limits: { totalMs: Math.max(1, until - performance.now()), answerBytes },
      signal,
    }).catch((error: unknown) => {
      throw error instanceof RequestFailed ? unanswered(what, error) : error;
    });
    return read(what, answer);
  };
}

// What the guard does not let pass was named by the provider, or by who configured it: asking again does not help.
const forGood: ReadonlySet<RequestFailed['failure']> = new Set([
  'blocked_address',
  'invalid_url',
  'response_too_large',
]);

const unanswered = (what: string, { failure, message }: RequestFailed): SignInRefused =>
  new SignInRefused(
    forGood.has(failure) ? 'ANSWER_INVALID' : 'PROVIDER_UNREACHABLE',
    `${what} cannot be fetched: ${message}.`,
  );

function read(what: string, { status, headers, body, truncated }: EgressAnswer): Response {
  if (status >= 500 || status === 429)
    throw new SignInRefused('PROVIDER_UNREACHABLE', `${what} is answered with status ${status}.`);
  if (status >= 300 && status < 400)
    throw invalidAnswer(`${what} is answered with a redirect, and redirects are not followed.`);
  if (truncated) throw invalidAnswer(`${what} is larger than any that is read.`);
  const value = parseObject(body);
  if (status !== 200)
    throw invalidAnswer(
      `${what} is answered with status ${status}${namedError(value?.['error'])}.`,
    );
  if (!/^application\/(json|[\w.-]+\+json) *(;|$)/i.test(headers['content-type'] ?? ''))
    throw invalidAnswer(`${what} does not come as application/json.`);
  if (!value) throw invalidAnswer(`${what} is not a JSON object.`);
  const problem = jsonProblem(value);
  if (problem !== undefined) throw invalidAnswer(`${what} ${problem}.`);
  return Response.json(value);
}
