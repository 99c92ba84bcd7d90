import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { readRightsFile } from './file.ts';

const refuses = (text: string, reason: RegExp) =>
  assert.rejects(readRightsFile(text, 'access.yaml'), { name: 'Error', message: reason });

test('a policy is read, and each of its mistakes is named by its place', async () => {
  const { Policy } = await readRightsFile(
    `
$schema: https://id.example.com/docs/guides/rights.schema.json
Policy:
  - Permission: iam.grants.*
    Only: [{ Role: owner }, { Group: security }]
    Message: ask the security team
  - { Permission: app.money.refund, Only: [] }
`,
    'access.yaml',
  );
  assert.deepEqual(Policy, [
    {
      Permission: 'iam.grants.*',
      Only: [
        { kind: 'Role', subject: 'owner' },
        { kind: 'Group', subject: 'security' },
      ],
      Message: 'ask the security team',
    },
    { Permission: 'app.money.refund', Only: [], Message: undefined },
  ]);
  await refuses(
    'Policy: [{ Permission: iam.grants.* }]',
    /^access\.yaml: Policy\[0\]\.Only is missing$/,
  );
  await refuses('Policy: [{ Only: [] }]', /Policy\[0\]\.Permission is missing/);
  await refuses('Policy: [{ Permission: iam*, Only: [] }]', /Policy\[0\]\.Permission must be/);
  await refuses(
    'Policy: [{ Permission: a.b, Only: [{}] }]',
    /Policy\[0\]\.Only\[0\]\.Role is missing/,
  );
  await refuses('Policy: [{ Permission: a.b, only: [] }]', /Policy\[0\] has no key only/);
  await refuses(
    'Policy: [{ Permission: a.b, Only: [{ Role: a, User: b }] }]',
    /Policy\[0\]\.Only\[0\] must have one of Role, User, Group, Bot/,
  );
});

test('a file that would take the parser too much memory is refused', async () => {
  const aliases = Array.from({ length: 9 }, (_, index) => {
    const before = index === 0 ? 'x' : `*a${index - 1}`;
    return `a${index}: &a${index} [${Array.from({ length: 10 }, () => before).join(', ')}]`;
  });
  await refuses(`# ${'x'.repeat(10 * 1024 * 1024)}`, /the file is longer than 1048576 characters/);
  await refuses(`${aliases.join('\n')}\nRoles: *a8`, /alias/i);
});

test('a file that would take the parser too much time is refused after ten seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  let isOver = false;
  const refused = Promise.all([
    refuses(`Roles: ${'['.repeat(500_000)}`, /takes too long|call stack|Flow/),
    refuses(`Roles: ${'&a '.repeat(300_000)}`, /takes too long/).then(() => (isOver = true)),
  ]);
  t.mock.timers.tick(9_999);
  await setImmediate();
  assert.equal(isOver, false);
  t.mock.timers.tick(1);
  await refused;
});
