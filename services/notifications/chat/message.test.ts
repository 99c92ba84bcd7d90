import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from './message.ts';

const of = (over: Record<string, unknown>) =>
  messageOf(
    JSON.stringify({
      id: 'evt_1',
      type: 'group.created',
      timestamp: '2026-01-01T00:00:00.000Z',
      tenant: 'tnt_1',
      actor: {},
      data: {},
      ...over,
    }),
  );

test('a message contains the change, its subject, the actor and the tenant', () => {
  const actor = { type: 'user', id: 'usr_1' };
  assert.deepEqual(
    of({
      actor,
      data: { ID: 'grp_1', Name: 'Engineering', Path: 'eng' },
      previous: { Name: 'Eng', Description: '' },
    }),
    {
      title: 'Group created',
      facts: [
        ['Group', 'Engineering (grp_1)'],
        ['Changed', 'Name, Description'],
        ['By', 'user usr_1'],
        ['Tenant', 'tnt_1'],
      ],
      footer: 'group.created · evt_1 · 2026-01-01T00:00:00.000Z',
    },
  );
});

test('a message about a relation names both sides', () => {
  const { title, facts } = of({
    type: 'group.member_added',
    data: { Tenant: 'tnt_1', Group: 'eng', UserID: 'usr_2' },
  });
  assert.equal(title, 'Group member added');
  assert.deepEqual(facts.slice(0, 2), [
    ['Group', 'eng'],
    ['User', 'usr_2'],
  ]);
  assert.deepEqual(
    of({
      type: 'bot_grant.removed',
      data: { ID: 'bgr_1', Role: 'admin', Bot: 'bot_1' },
    }).facts.slice(0, 3),
    [
      ['Bot grant', 'bgr_1'],
      ['Role', 'admin'],
      ['Bot', 'bot_1'],
    ],
  );
});

test('a record without a name is shown by its email, path or slug', () => {
  const subject = (record: object) => of({ data: record }).facts[0]?.[1];
  assert.equal(subject({ ID: 'inv_1', Email: 'ada@example.com' }), 'ada@example.com (inv_1)');
  assert.equal(subject({ ID: 'grp_1', Name: '', Path: 'eng' }), 'eng (grp_1)');
  assert.equal(subject({ ID: 'rol_1', Slug: 'editor' }), 'editor (rol_1)');
  assert.equal(subject({ Name: 'Nameless' }), 'Nameless');
  assert.equal(of({ type: 'sso_provider.created' }).title, 'SSO provider created');
});

test('a message of a malformed event contains only valid values of the event', () => {
  for (const over of [
    { data: null },
    { data: [] },
    { data: 'text' },
    { data: { Name: 7, ID: {} }, previous: [], actor: 'x', tenant: '' },
  ]) {
    const { title, facts } = of({ ...over });
    assert.equal(title, 'Group created');
    assert.ok(
      facts.every(([label]) => label === 'Tenant'),
      JSON.stringify(facts),
    );
  }
  assert.deepEqual(messageOf('{}'), { title: '', facts: [], footer: '' });
});

test('a name has no line breaks and no direction marks, and is cut to 200 characters', () => {
  const { facts } = of({ data: { Name: `a\n\r\u2028b\u202ec${'😀'.repeat(500)}` } });
  const [, name] = facts[0] ?? assert.fail();
  assert.match(name, /^a bc(😀)+…$/u);
  assert.equal(Array.from(name).length, 200);
});
