import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { Code, ConnectError } from '@connectrpc/connect';
import { NoResponseError, withRetries } from './retry.ts';

const { save, get } = Groups.method;
const unprocessed = new NoResponseError(true, undefined);
const unknown = new NoResponseError(false, undefined);
const failedWith = (code: string) =>
  new NoResponseError(
    true,
    new Error('there is no connection', { cause: Object.assign(new Error(code), { code }) }),
  );

/** Runs a call whose attempts have these outcomes, and returns their number and the result. */
async function attempts(
  method: typeof save | typeof get,
  outcomes: ReadonlyArray<Error | string>,
  { timeoutMs = 5000, signal = new AbortController().signal } = {},
) {
  const remaining: number[] = [];
  const result = await withRetries({ method, timeoutMs, signal }, (remainingMs) => {
    remaining.push(remainingMs);
    const outcome = outcomes[Math.min(remaining.length, outcomes.length) - 1] ?? '';
    return typeof outcome === 'string' ? Promise.resolve(outcome) : Promise.reject(outcome);
  }).catch((error: unknown) => error);
  return { times: remaining.length, result, remaining };
}

test('an unprocessed call is retried, even if it has side effects', async () => {
  for (const method of [save, get])
    assert.partialDeepStrictEqual(await attempts(method, [unprocessed, unprocessed, 'done']), {
      times: 3,
      result: 'done',
    });
});

test('a call that may have been processed is retried only if it has no side effects, at most twice', async () => {
  assert.partialDeepStrictEqual(await attempts(get, [unknown, unknown, 'done']), {
    times: 3,
    result: 'done',
  });
  assert.partialDeepStrictEqual(await attempts(get, [unknown]), { times: 3, result: unknown });
  assert.partialDeepStrictEqual(await attempts(save, [unknown, 'done']), {
    times: 1,
    result: unknown,
  });
  assert.partialDeepStrictEqual(await attempts(save, [unprocessed, unknown, 'done']), {
    times: 2,
    result: unknown,
  });
});

test('a response is not retried, not even "unavailable"', async () => {
  const answer = new ConnectError('the database is away', Code.Unavailable);
  assert.partialDeepStrictEqual(await attempts(get, [answer, 'done']), {
    times: 1,
    result: answer,
  });
});

test('all attempts share one deadline, and a cancelled call is not retried', async () => {
  const { result, remaining } = await attempts(save, [unprocessed], { timeoutMs: 1000 });
  assert.equal(result, unprocessed);
  assert.ok(
    remaining.length > 3 &&
      remaining.every((ms, index) => ms > 0 && ms <= (remaining[index - 1] ?? 1000)),
    remaining.join(),
  );
  assert.partialDeepStrictEqual(
    await attempts(get, [unprocessed], { signal: AbortSignal.abort() }),
    { times: 1, result: unprocessed },
  );
});

test('a call to a service that refuses connections fails after the time that a process takes to start', async () => {
  const began = performance.now();
  const refused = failedWith('ECONNREFUSED');
  assert.partialDeepStrictEqual(await attempts(save, [refused]), { result: refused });
  const took = performance.now() - began;
  assert.ok(took > 1500 && took < 4000, String(took));
});

test('a call whose connections time out or whose host name does not resolve is retried until its own deadline', async () => {
  const retry = async (code: string) => {
    const slow = failedWith(code);
    const began = performance.now();
    assert.partialDeepStrictEqual(
      await attempts(save, [failedWith('ECONNREFUSED'), slow], { timeoutMs: 3000 }),
      { result: slow },
    );
    const took = performance.now() - began;
    assert.ok(took > 2700 && took < 4000, `${code}: ${took}`);
  };
  await Promise.all(['UND_ERR_CONNECT_TIMEOUT', 'EAI_AGAIN', 'ENOTFOUND'].map(retry));
});
