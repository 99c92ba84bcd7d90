import assert from 'node:assert/strict';
import type { Answer, Stack } from './harness.ts';

// What tests ask of an answer.

/** The body of a success. */
export function bodyOf({ status, body }: Answer): Answer['body'] {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The record under a key of a success. */
export const recordIn = (answer: Answer, key: string): unknown => bodyOf(answer)[key];

/** Asserts an ErrorResponse of this status and code and, where they are given, with just these messages. */
export function assertRefused(
  { status, body }: Answer,
  expected: 400 | 401 | 403,
  code: string,
  messages?: readonly string[],
): void {
  assert.equal(status, expected, JSON.stringify(body));
  assert.equal(body.Code, code, JSON.stringify(body));
  if (messages) assert.deepEqual(body.Messages, messages);
}

/**
 * Repeats a call that found no free connection in time, as a client does. That happens where hundreds come at once
 * and the machine is slow; such a call has done nothing.
 */
export async function patiently(call: () => Promise<Answer>, tries = 5): Promise<Answer> {
  const answer = await call();
  return answer.body.Code === 'unavailable' && tries > 1 ? patiently(call, tries - 1) : answer;
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

/** A whole list page by page, as a client reads it: the items, and how many each page had. */
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
