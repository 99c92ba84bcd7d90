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

test('a table begins with names, ends with IDs, and does not repeat the tenant of the request', () => {
  const rows = [
    { ID: 'grp_1', Tenant: 'tnt_1', Path: 'eng', RoleID: 'rol_1', Name: 'Engineering', Note: 'a' },
    { ID: 'grp_2', Tenant: 'tnt_1', Path: 'ops', RoleID: 'rol_2', Name: 'Ops', Note: 'b' },
  ];
  const lines = (text: string) => text.split('\n').map((line) => line.split(/ +/));
  assert.deepEqual(lines(table(rows, 'tnt_1')), [
    ['Name', 'Path', 'Note', 'RoleID', 'ID'],
    ['Engineering', 'eng', 'a', 'rol_1', 'grp_1'],
    ['Ops', 'ops', 'b', 'rol_2', 'grp_2'],
  ]);
  const heading = (tenant?: string) => lines(table(rows, tenant))[0];
  const whole = ['Name', 'Path', 'Note', 'Tenant', 'RoleID', 'ID'];
  assert.deepEqual([heading(), heading('tnt_2')], [whole, whole]);
});

test('a name cannot control the terminal', () => {
  assert.equal(printable('a\u001b[2Jb\u202ec\nd'), 'a\\u001b[2Jb\\u202ec d');
});
