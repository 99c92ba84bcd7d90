import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertContent, assertSingleHeaders } from './content.ts';

const json = /^application\/json\s*(;|$)/i;
const check = (type: string | undefined, encoding?: string) => () =>
  assertContent(
    { headers: { 'content-type': type, 'content-encoding': encoding } },
    json,
    'application/json',
  );

test('a body is read in UTF-8 only, and its other parameters do not matter', () => {
  for (const type of [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8; version=1',
  ])
    assert.doesNotThrow(check(type), type);
  for (const type of [
    'application/json; charset=utf-7',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=',
    'application/json; CHARSET = "iso-8859-1"',
  ])
    assert.throws(check(type), { reason: 'CONTENT_TYPE' }, type);
  assert.throws(check('text/plain; charset=utf-8'), {
    params: { ContentType: 'application/json' },
  });
  assert.throws(check(undefined), { message: 'Content-Type must be application/json' });
});

test('a compressed body is refused for its encoding', () => {
  assert.doesNotThrow(check('application/json', 'identity'));
  for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity', 'x'])
    assert.throws(check('application/json', encoding), { reason: 'CONTENT_ENCODING' });
});

test('a header that may be there once is refused when it is there twice', () => {
  const of = (...names: string[]) => ({ rawHeaders: names.flatMap((name) => [name, 'x']) });
  assert.doesNotThrow(() => assertSingleHeaders(of('Host', 'Accept', 'accept', 'X-Forwarded-For')));
  for (const [one, other] of [
    ['Authorization', 'authorization'],
    ['Host', 'host'],
    ['Content-Type', 'CONTENT-TYPE'],
    ['idempotency-key', 'Idempotency-Key'],
  ] as const)
    assert.throws(() => assertSingleHeaders(of(one, 'accept', other)), {
      reason: 'DUPLICATE_HEADER',
    });
});
