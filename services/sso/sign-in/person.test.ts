import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInRefused } from '../refusal.ts';
import { mapGroups } from './groups.ts';
import { absentClaims, readPerson } from './person.ts';

const read = (
  kind: string,
  claims: Record<string, unknown>,
  attributeMap: Record<string, string> = {},
) =>
  readPerson(
    { issuer: 'https://id.example.com', subject: 'S', claims, contexts: [] },
    { kind, attributeMap, preset: '', issuer: 'https://id.example.com' },
  );
const refuses = (work: () => unknown, detail: RegExp) =>
  assert.throws(
    work,
    (error) =>
      error instanceof SignInRefused &&
      error.reason === 'ANSWER_INVALID' &&
      detail.test(error.detail),
  );
const email = 'ada@example.com';

test('readPerson reads the standard claims of an OIDC provider', () => {
  const person = read('oidc', {
    email,
    email_verified: true,
    name: 'Ada',
    given_name: 'A',
    family_name: 'L',
    locale: 'en',
    groups: ['eng', 7, ''],
  });
  assert.deepEqual(
    { ...person, picture: undefined },
    {
      subject: 'S',
      email,
      emailVerified: true,
      name: 'Ada',
      givenName: 'A',
      familyName: 'L',
      picture: undefined,
      locale: 'en',
      groups: ['eng'],
      groupStatement: { kind: 'stated' },
    },
  );
});

test('an address is verified only if email_verified is true or the text "true"', () => {
  for (const verified of [true, 'true'])
    assert.equal(read('oidc', { email, email_verified: verified }).emailVerified, true);
  const others = ['True', 'true ', '1', 1, 'yes', {}, [true], ['true'], null, undefined, false];
  for (const verified of [...others, 'false', ''])
    assert.equal(read('oidc', { email, email_verified: verified }).emailVerified, false);
  assert.equal(read('oidc', { email }).emailVerified, false);
  // It is about the claim email, not about a claim that users can edit.
  assert.equal(
    read(
      'oidc',
      { preferred_username: email, email: 'own@example.com', email_verified: true },
      { Email: 'preferred_username' },
    ).emailVerified,
    false,
  );
});

test('a claim that AttributeMap names for EmailVerified replaces email_verified', () => {
  const map = { EmailVerified: 'xms_edov', Email: 'upn' };
  assert.equal(read('oidc', { upn: email, xms_edov: 'true' }, map).emailVerified, true);
  assert.equal(
    read('oidc', { upn: email, xms_edov: false, email_verified: true }, map).emailVerified,
    false,
  );
  assert.equal(read('oidc', { email, email_verified: true }, map).email, '');
});

test('at an issuer for all Microsoft directories, only xms_edov verifies an address, whatever AttributeMap says', () => {
  const issuer = 'https://login.microsoftonline.com/common/v2.0';
  const isVerified = (claims: object, attributeMap: Record<string, string> = {}) =>
    readPerson(
      { issuer, subject: 'S', claims: { email, ...claims }, contexts: [] },
      { kind: 'oidc', preset: 'microsoft', issuer, attributeMap },
    ).emailVerified;
  for (const xms_edov of [true, 'true', '1', 1])
    assert.ok(isVerified({ xms_edov }), JSON.stringify(xms_edov));
  for (const xms_edov of [undefined, null, false, 'false', '0', 0, 2, {}, [true]])
    assert.ok(!isVerified({ xms_edov, email_verified: true }), JSON.stringify(xms_edov));
  const claims = { email_verified: true, upn: email };
  assert.ok(!isVerified(claims, { EmailVerified: 'email_verified' }));
  // It is about the claim email.
  assert.ok(!isVerified({ ...claims, xms_edov: true }, { Email: 'upn' }));
});

test('an address in a signed SAML assertion is verified', () => {
  const claimed = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress';
  const person = read('saml', {
    [claimed]: email,
    memberOf: ['a', 'b'],
    'urn:oid:2.5.4.4': 'Lovelace',
  });
  assert.deepEqual(
    [person.email, person.emailVerified, person.groups, person.familyName],
    [email, true, ['a', 'b'], 'Lovelace'],
  );
});

test('a NameID in email format is the address, unless AttributeMap names another attribute', () => {
  const named = {
    nameID: email,
    nameIDFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  };
  assert.equal(read('saml', named).email, email);
  assert.equal(read('saml', named, { Email: 'mail' }).email, '');
  assert.equal(
    read('saml', { ...named, nameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' })
      .email,
    '',
  );
});

test('readPerson rejects several addresses, a transient subject, and a mapped subject without exactly one value', () => {
  refuses(() => read('saml', { mail: [email, 'other@example.com'] }), /several addresses/);
  refuses(
    () => read('saml', { nameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }),
    /transient/,
  );
  for (const text of [undefined, '', ['a', 'b'], 7])
    refuses(() => read('saml', { uid: text }, { Subject: 'uid' }), /not exactly one uid/);
  assert.equal(read('saml', { uid: ['42'] }, { Subject: 'uid' }).subject, '42');
  refuses(() => read('oidc', { email: 'no address' }), /address/);
  refuses(() => read('saml', { mail: [email, 'no address'] }), /several addresses/);
});

test('equal values of an attribute are one, and an address in another case is the same', () => {
  assert.equal(read('saml', { mail: [email, email] }).email, email);
  assert.equal(read('saml', { mail: ['Ada@Example.com', email] }).email, 'Ada@Example.com');
  assert.equal(read('saml', { uid: ['42', '42'] }, { Subject: 'uid' }).subject, '42');
});

test('an assertion without a NameID needs a mapped subject', () => {
  const nameless = (attributeMap: Record<string, string>) =>
    readPerson(
      { issuer: 'https://id.example.com', subject: '', claims: { uid: '42' }, contexts: [] },
      { kind: 'saml', attributeMap, preset: '', issuer: '' },
    );
  assert.equal(nameless({ Subject: 'uid' }).subject, '42');
  refuses(() => nameless({}), /no NameID/);
});

test('claims cannot reach a prototype', () => {
  const claims = JSON.parse(
    '{"__proto__": {"email": "ada@example.com", "email_verified": true}}',
  ) as Record<string, unknown>;
  assert.deepEqual([read('oidc', claims).email, read('oidc', claims).emailVerified], ['', false]);
  assert.equal(read('oidc', {}, { Email: 'constructor' }).email, '');
});

test('AttributeMap reads a path into nested claims, and absentClaims names the missing ones', () => {
  const claims = {
    realm_access: { roles: ['ops'] },
    resource_access: { 'my.app': { id: '42', mail: email, checked: 'true' } },
  };
  const map = {
    Subject: 'resource_access.my.app.id',
    Email: '/resource_access/my.app/mail',
    EmailVerified: 'resource_access.my.app.checked',
    Groups: 'realm_access.roles',
    Name: 'realm_access.name',
  };
  const person = read('oidc', claims, map);
  assert.deepEqual(
    [person.subject, person.email, person.emailVerified, person.groups, person.name],
    ['42', email, true, ['ops'], ''],
  );
  assert.deepEqual(person.groupStatement, { kind: 'stated' });
  const absent = (answer: object, groupMappings = [{ value: 'ops', group: '', role: 'x' }]) =>
    absentClaims({ claims: { ...answer } }, { kind: 'oidc', attributeMap: map, groupMappings });
  assert.deepEqual(absent(claims), ['realm_access.name (Name)']);
  assert.equal(absent({}).length, 5);
  assert.equal(absent({}, []).length, 4);
  // Attributes of SAML have no members.
  assert.deepEqual(read('saml', { a: { b: ['x'] } }, { Groups: 'a.b' }).groups, []);
});

test('mapGroups maps groups by exact match', () => {
  const groupMappings = [
    { value: 'eng', group: 'eng/backend', role: '' },
    { value: 'eng', group: 'eng', role: 'editor' },
    { value: 'ops', group: '', role: 'editor' },
  ];
  assert.deepEqual(mapGroups(['eng', 'ops', 'eng'], { groupMappings }), {
    groups: ['eng/backend', 'eng'],
    roles: ['editor'],
  });
  assert.deepEqual(mapGroups(['ENG', 'en'], { groupMappings }), { groups: [], roles: [] });
});
