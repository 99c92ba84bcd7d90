import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from './answer.ts';

const received = (body: object) => failureOf('Groups_Get', Response.json(body, { status: 400 }));

test('an error has the Params and Problems of the response, and nothing of another type', async () => {
  const error = await received({
    Code: 'invalid_argument',
    Messages: ['one', 'two'],
    Params: { Limit: '1', Count: 2 },
    Problems: [{ Field: 'Name', Rule: 'max_len', Params: { Max: '1' } }, null],
  });
  assert.deepEqual(error.Params, { Limit: '1' });
  assert.deepEqual(error.Problems, [
    { Field: 'Name', Rule: 'max_len', Params: { Max: '1' } },
    { Field: '', Rule: '', Params: {} },
  ]);
});

test('an error of an older service has no Params and no Problems', async () => {
  const { Messages, Params, Problems } = await received({ Code: 'not_found', Messages: ['one'] });
  assert.deepEqual([Messages, Params, Problems], [['one'], {}, []]);
});
