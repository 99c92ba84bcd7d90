import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPerson } from './person.ts';

const issuer = 'https://id.example.com';
const link = 'http://schemas.microsoft.com/claims/groups.link';

const statement = (
  kind: 'oidc' | 'saml',
  claims: Record<string, unknown>,
  { Groups, incomplete }: { Groups?: string; incomplete?: string } = {},
) =>
  readPerson(
    { issuer, subject: 'S', claims, contexts: [], ...(incomplete !== undefined && { incomplete }) },
    { kind, attributeMap: Groups === undefined ? {} : { Groups }, preset: '', issuer },
  ).groupStatement;

const cases: ReadonlyArray<[name: string, kind: string, found: ReturnType<typeof statement>]> = [
  ['groups', 'stated', statement('oidc', { groups: ['a'] })],
  ['one group', 'stated', statement('oidc', { groups: 'a' })],
  ['an empty list', 'stated', statement('oidc', { groups: [] })],
  ['null', 'stated', statement('oidc', { groups: null })],
  ['no claim', 'absent', statement('oidc', {})],
  ['groups of another form', 'absent', statement('oidc', { groups: [{ id: 'a' }] })],
  [
    'another claim than the mapped one',
    'absent',
    statement('oidc', { groups: [] }, { Groups: 'roles' }),
  ],
  ['_claim_names', 'unknown', statement('oidc', { _claim_names: { groups: 'src1' } })],
  ['_claim_names of other claims', 'absent', statement('oidc', { _claim_names: { wids: 'src1' } })],
  [
    '_claim_names of the mapped claim',
    'unknown',
    statement('oidc', { _claim_names: { roles: 'src1' } }, { Groups: 'roles' }),
  ],
  [
    '_claim_names beside groups',
    'unknown',
    statement('oidc', { groups: ['a'], _claim_names: { groups: 'src1' } }),
  ],
  ['hasgroups', 'unknown', statement('oidc', { hasgroups: true })],
  ['hasgroups as text', 'unknown', statement('oidc', { hasgroups: 'true' })],
  ['hasgroups false', 'absent', statement('oidc', { hasgroups: false })],
  [
    'hasgroups without a mapping of groups',
    'absent',
    statement('oidc', { hasgroups: true }, { Groups: 'roles' }),
  ],
  ['groups.link', 'unknown', statement('saml', { [link]: 'https://graph.example.com' })],
  ['an attribute without values', 'stated', statement('saml', { memberOf: [] })],
  ['no attribute', 'absent', statement('saml', { mail: 'a@example.com' })],
  [
    'no claim in an incomplete answer',
    'unknown',
    statement('oidc', {}, { incomplete: 'it broke' }),
  ],
  [
    'groups in an incomplete answer',
    'stated',
    statement('oidc', { groups: [] }, { incomplete: 'it broke' }),
  ],
];

for (const [name, kind, statement] of cases)
  test(`an answer with ${name} has ${kind} groups`, () => assert.equal(statement.kind, kind));
