import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPostedName } from './posted-name.ts';

const person = {
  subject: 'S',
  email: 'ada@example.com',
  emailVerified: true,
  name: '',
  givenName: '',
  familyName: '',
  picture: '',
  locale: '',
  groups: [],
  groupStatement: { kind: 'absent' } as const,
};
const apple = { preset: 'apple' };
const ada = { firstName: ' Ada ', lastName: 'Lovelace' };

test('withPostedName takes the name of Apple’s first answer, and nothing else of the field', () => {
  const user = JSON.stringify({
    name: { ...ada, sub: 'x' },
    email: 'eve@example.com',
    sub: 'eve',
    email_verified: true,
  });
  const named = { givenName: 'Ada', familyName: 'Lovelace', name: 'Ada Lovelace' };
  assert.deepEqual(withPostedName(person, apple, { user }), { ...person, ...named });
  // The signed claims win, and other providers send no such field.
  const signed = { ...person, name: 'A. L.' };
  assert.equal(withPostedName(signed, apple, { user }).name, 'A. L.');
  assert.deepEqual(withPostedName(person, { preset: '' }, { user }), person);
});

test('withPostedName ignores a field that is malformed', () => {
  const odd = [
    undefined,
    '',
    '{',
    '[]',
    'null',
    '{}',
    '{"name":"Ada"}',
    '{"name":["Ada"]}',
    '{"name":{"firstName":7,"lastName":{}}}',
    '{"name":{"firstName":"a\\u0000b"}}',
    '{"name":{"firstName":"\\ud800"}}',
    '{"name":{"__proto__":{"firstName":"a"}}}',
  ];
  for (const user of odd)
    assert.deepEqual(withPostedName(person, apple, user === undefined ? {} : { user }), person);
});
