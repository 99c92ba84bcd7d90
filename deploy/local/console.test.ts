import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readable } from './console.ts';

test('readable shortens a JSON log line and keeps every other line', () => {
  assert.equal(
    readable(
      '{"time":"2026-01-01T00:00:00Z","level":"info","service":"access","message":"listening","port":1,"requestId":""}',
    ),
    'listening port=1',
  );
  assert.equal(
    readable('{"level":"warn","message":"waiting","error":"no schema"}'),
    'warn: waiting error=no schema',
  );
  for (const line of ['plain text', '{"no":"message"}', '{broken', ''])
    assert.equal(readable(line), line);
});
