import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuditTargetSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/audit_pb.ts';
import { GroupSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { RoleSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import { AccountProfileSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { SupportStartRequestSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/support_pb.ts';
import { UserSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import { create, type DescMessage } from '@bufbuild/protobuf';
import { encodeJson } from './json/encode.ts';
import { services } from './registry.ts';
import { validate } from './validate.ts';

const refused = /must not contain control characters or marks/;
const isRefused = (schema: DescMessage, name: string) =>
  validate(schema, create(schema, { name })).some((message) =>
    refused.test(JSON.stringify(message)),
  );

test('a name has no control characters and no marks that change the direction of text', () => {
  for (const schema of [GroupSchema, RoleSchema, AccountProfileSchema]) {
    for (const mark of [
      '\n',
      '\r',
      '\t',
      '\u0000',
      '\u007f',
      '\u0085',
      '\u2028',
      '\u202a',
      '\u202e',
      '\u2066',
      '\u2069',
    ])
      assert.ok(isRefused(schema, `a${mark}b`), JSON.stringify(mark));
    for (const name of ['می\u200cخواهم', '👨\u200d👩\u200d👧', 'Ünïcode 株式会社', '', 'a b'])
      assert.ok(!isRefused(schema, name), name);
  }
});

test('every name that a client sends is read by the same rule', () => {
  const names = new Set<string>();
  const visited = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (visited.has(message)) return;
    visited.add(message);
    for (const field of message.fields) {
      if (field.message) visit(field.message);
      const isName = ['Name', 'GivenName', 'FamilyName'].includes(field.jsonName);
      if (isName && field.scalar === 9) names.add(`${message.typeName}.${field.name}`);
    }
  };
  for (const { methods } of services) for (const { input } of methods) visit(input);
  const unruled = [...names].filter((name) => {
    const [typeName, field] = [
      name.slice(0, name.lastIndexOf('.')),
      name.slice(name.lastIndexOf('.') + 1),
    ];
    const message = [...visited].find((one) => one.typeName === typeName);
    const local = message?.fields.find((one) => one.name === field)?.localName ?? '';
    return (
      message &&
      !validate(message, create(message, { [local]: 'a\u202eb' })).some((one) =>
        refused.test(JSON.stringify(one)),
      )
    );
  });
  assert.ok(names.size > 15, [...names].join(', '));
  // The name of a domain has a rule of its own.
  assert.deepEqual(unruled, ['bailiwick.sso.v1.DomainCreateRequest.name']);
});

test('a description and the reason of support may have lines, and no other control characters or direction marks', () => {
  const problems = [
    (text: string) => validate(RoleSchema, create(RoleSchema, { description: text })),
    (text: string) =>
      validate(SupportStartRequestSchema, create(SupportStartRequestSchema, { reason: text })),
  ];
  for (const read of problems) {
    for (const mark of ['\u0000', '\u001b', '\u0085', '\u2028', '\u202e', '\u2066'])
      assert.ok(
        read(`a${mark}b`).some((message) => message.includes('direction of text')),
        JSON.stringify(mark),
      );
    for (const text of ['one\ntwo\r\nthree\tfour', 'می\u200cخواهم'])
      assert.ok(!read(text).some((message) => message.includes('direction of text')), text);
  }
});

test('a stored text that requests refuse now is shown without what they refuse, and can be saved again', () => {
  const stored = 'invoice\u202efdp.exe\r\n\u2067x\u2069 می\u200cخواهم';
  const clean = 'invoicefdp.exe x می\u200cخواهم';
  const group = { name: stored, description: 'one\ntwo\u202e\u0000' };
  const json = encodeJson(GroupSchema, create(GroupSchema, group));
  assert.deepEqual([json['Name'], json['Description']], [clean, 'one\ntwo']);
  assert.ok(!isRefused(GroupSchema, clean));
  const user = { name: stored, givenName: stored, familyName: stored };
  const { Name, GivenName, FamilyName } = encodeJson(UserSchema, create(UserSchema, user));
  assert.deepEqual([Name, GivenName, FamilyName], [clean, clean, clean]);
});

test('a target in the audit log keeps its name exactly, which the hash of its entry covers', () => {
  const target = create(AuditTargetSchema, { name: 'a\u202eb' });
  assert.equal(encodeJson(AuditTargetSchema, target)['Name'], 'a\u202eb');
});
