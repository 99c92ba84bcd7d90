import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@bailiwick/contract';
import type { Answer, Stack } from './harness.ts';

// Helpers for answers.

/** The body of a successful answer. */
export function bodyOf({ status, body }: Answer): Answer['body'] {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The record under a key of a successful answer. */
export const recordIn = (answer: Answer, key: string): unknown => bodyOf(answer)[key];

/** Asserts an ErrorResponse with this status, code and, if given, exactly these messages. */
export function assertRefused(
  { status, body }: Answer,
  expected: 400 | 401 | 403 | 429,
  code: string,
  messages?: readonly string[],
): void {
  assert.equal(status, expected, JSON.stringify(body));
  assert.equal(body.Code, code, JSON.stringify(body));
  if (messages) assert.deepEqual(body.Messages, messages);
}

/**
 * Retries a call, as a client does, while the server is busy: too many concurrent calls, or no free
 * connection in time. Such a call changed nothing. The answer of a rate limit, which asks for a
 * longer pause, is returned.
 */
export async function retryWhileBusy(call: () => Promise<Answer>, tries = 60): Promise<Answer> {
  const answer = await call();
  const pauseSeconds = Number(answer.headers.get('retry-after') ?? 0);
  const isCrowded =
    answer.body.Code === 'unavailable' ||
    (answer.body.Code === 'resource_exhausted' && pauseSeconds <= 1);
  if (!isCrowded || tries === 1) return answer;
  await sleep(pauseSeconds * 1000);
  return retryWhileBusy(call, tries - 1);
}

/** The fields of a body that an operation has, so that several operations can share a body. */
export function knownTo(
  operation: string,
  body: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields = operations.get(operation)?.method.input.fields ?? [];
  return Object.fromEntries(
    Object.entries(body).filter(([key]) => fields.some(({ jsonName }) => jsonName === key)),
  );
}

type Page<Item> = { Items: Item[]; NextCursor: string };
type List<Item> = { items: Item[]; sizes: number[] };

/** One page of a list. */
export async function readPage<Item>(
  stack: Stack,
  operation: string,
  request: object,
  token: string,
): Promise<Page<Item>> {
  return recordIn(await stack.call(operation, request, token), 'Page') as Page<Item>;
}

/** Reads a whole list page by page: the items, and the size of each page. */
export async function readList<Item>(
  stack: Stack,
  operation: string,
  request: object,
  token: string,
  limit = 200,
): Promise<List<Item>> {
  const items: Item[] = [];
  const sizes: number[] = [];
  for (let cursor = ''; ; ) {
    const page = await readPage<Item>(
      stack,
      operation,
      { ...request, Page: { Limit: limit, Cursor: cursor } },
      token,
    );
    items.push(...page.Items);
    sizes.push(page.Items.length);
    if (page.NextCursor === '') return { items, sizes };
    cursor = page.NextCursor;
  }
}
