import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toServiceError } from '@bailiwick/errors';
import { equalTo, readFilter, resolverOf } from './filter.ts';
import { matches } from './matches.ts';
import type { Resource } from './resource.ts';
import { userType } from './schemas.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const resolve = resolverOf(userType);

const person: Resource = {
  userName: 'BJensen',
  externalId: 'Ab',
  title: 'Head "of" IT',
  active: true,
  name: { familyName: 'Jensen' },
  emails: [
    { value: 'b@example.com', type: 'work', primary: true },
    { value: 'b@home.example', type: 'home' },
  ],
  [enterprise]: { department: 'Tours', manager: { value: '26' } },
  meta: { created: '2026-01-01T00:00:00.000Z' },
};

const cases: ReadonlyArray<[filter: string, isMatch: boolean]> = [
  ['userName eq "bjensen"', true],
  ['USERNAME EQ "bjensen"', true],
  ['externalId eq "ab"', false],
  ['externalId eq "Ab"', true],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "bj"', true],
  [`${enterprise}:department eq "tours"`, true],
  [`${enterprise}:manager.value eq "26"`, true],
  ['name.familyName co "ens"', true],
  ['name.familyName ew "sen"', true],
  ['name.givenName pr', false],
  ['not (name.givenName pr)', true],
  ['title eq "Head \\"of\\" IT"', true],
  ['emails eq "b@home.example"', true],
  ['emails.value co "example.com"', true],
  ['emails[type eq "work" and value co "example.com"]', true],
  ['emails[type eq "home" and primary eq true]', false],
  ['emails[type eq "work"].value eq "b@example.com"', true],
  ['emails[type eq "home"].value eq "b@example.com"', false],
  ['active eq true', true],
  ['active eq "True"', true],
  ['active ne true', false],
  ['nickName eq null', true],
  ['nickName ne "x"', true],
  ['meta.created ge "2026-01-01T00:00:00Z"', true],
  ['meta.created gt "2026-01-01T01:00:00+01:00"', false],
  ['userName gt "a" and userName lt "c"', true],
  ['userName eq "x" or userName eq "y" and active eq true or title pr', true],
  ['(userName eq "x" or active eq true) and not (title eq "x")', true],
];

for (const [filter, isMatch] of cases)
  test(`${filter} ${isMatch ? 'matches' : 'does not match'}`, () => {
    assert.equal(matches(readFilter(filter, resolve), person), isMatch);
  });

const refused = [
  'userName',
  'userName eq',
  'userName is "x"',
  'userName eq x',
  'userName eq "x',
  '"x" eq userName',
  'userName eq "x" and',
  'userName eq "x" title pr',
  '(userName eq "x"',
  'emails[type eq "work"',
  'emails[shoe eq "work"]',
  'constructor pr',
  '__proto__ eq "x"',
  'name.givenName.x pr',
  `title eq "${'x'.repeat(9000)}"`,
  Array.from({ length: 101 }, () => 'title pr').join(' or '),
  `${'('.repeat(40)}title pr${')'.repeat(40)}`,
];

for (const filter of refused)
  test(`${filter.slice(0, 60)} is refused as invalidFilter`, () => {
    assert.throws(
      () => readFilter(filter, resolve),
      (error) => toServiceError(error).reason === 'SCIM_INVALID_FILTER',
    );
  });

test('a filter tells what an attribute must equal, but only if all its matches do', () => {
  const of = (filter: string) => equalTo(readFilter(filter, resolve), 'userName');
  assert.equal(of('userName eq "x"'), 'x');
  assert.equal(of('active eq true and userName eq "x"'), 'x');
  assert.equal(of('userName eq "x" or active eq true'), undefined);
  assert.equal(of('not (userName eq "x")'), undefined);
  assert.equal(of('userName ne "x"'), undefined);
});
