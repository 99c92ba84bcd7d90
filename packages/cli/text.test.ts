import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable, table } from './text.ts';

test('a table leaves out empty columns, and shortens long values', () => {
  const text = table([
    { Path: 'eng', Name: '', Metadata: { team: 'a' } },
    { Path: 'eng/backend', Name: '', Metadata: {}, Note: 'x'.repeat(100) },
  ]);
  assert.equal(
    text,
    `Path         Metadata  Note\neng          team=a\neng/backend            ${'x'.repeat(59)}…`,
  );
});

test('a name cannot control the terminal', () => {
  assert.equal(printable('a\u001b[2Jb\u202ec\nd'), 'a\\u001b[2Jb\\u202ec d');
});
