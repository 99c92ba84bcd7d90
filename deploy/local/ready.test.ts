import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { waitUntilReady } from './ready.ts';

/** A server that answers these statuses, the last one again and again. */
async function answering(t: TestContext, statuses: readonly number[]): Promise<string> {
  let requests = 0;
  const server = createServer((_, response) => {
    response.writeHead(statuses[Math.min(requests++, statuses.length - 1)] ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`;
}

const never = new AbortController().signal;

test('a start that makes progress is waited for beyond the limit of an idle one', async (t) => {
  const url = await answering(t, [503, 500, 503, 500, 503, 200]);
  await waitUntilReady([url], [], never, { idleMs: 0, longestMs: 60_000 });
});

test('a start without progress, and one without end, are given up', async (t) => {
  const idle = await answering(t, [503]);
  await assert.rejects(
    waitUntilReady([idle], [], never, { idleMs: 0, longestMs: 60_000 }),
    /not ready after \d+ s: http/,
  );
  const endless = await answering(
    t,
    Array.from({ length: 1000 }, (_, at) => 500 + (at % 2)),
  );
  await assert.rejects(
    waitUntilReady([endless], [], never, { idleMs: 60_000, longestMs: 100 }),
    /not ready/,
  );
});
