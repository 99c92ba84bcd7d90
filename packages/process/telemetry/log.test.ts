import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './log.ts';

type Line = { message: string; error: string; leftOut?: number };

function collect() {
  const lines: Line[] = [];
  const log = createLog('test', (line) => lines.push(JSON.parse(line) as Line));
  return { log, lines };
}

const refused = () =>
  new Error('no answer', {
    cause: Object.assign(new Error('connect ECONNREFUSED\n127.0.0.1:5432'), {
      code: 'ECONNREFUSED',
    }),
  });

test('a warning about a database that is away has one line, and is not repeated', (t) => {
  t.mock.method(performance, 'now', () => now);
  let now = 0;
  const { log, lines } = collect();
  for (let retry = 0; retry < 5; retry++, now += 1000)
    log.warn('sweeping failed, retrying', { error: refused() });
  log.warn('another sweep failed, retrying', { error: refused() });
  now = 31_000;
  log.warn('sweeping failed, retrying', { error: refused() });
  assert.deepEqual(
    lines.map(({ message, error, leftOut }) => [message, error, leftOut]),
    [
      ['sweeping failed, retrying', 'no answer: connect ECONNREFUSED 127.0.0.1:5432', undefined],
      [
        'another sweep failed, retrying',
        'no answer: connect ECONNREFUSED 127.0.0.1:5432',
        undefined,
      ],
      ['sweeping failed, retrying', 'no answer: connect ECONNREFUSED 127.0.0.1:5432', 4],
    ],
  );
});

test('other errors keep their stack, and each is written', () => {
  const { log, lines } = collect();
  for (let retry = 0; retry < 2; retry++) log.warn('failed, retrying', { error: new Error('bug') });
  log.error('a request failed', { error: refused() });
  assert.equal(lines.length, 3);
  for (const { error } of lines) assert.match(error, /\n +at /);
});
