import assert from 'node:assert/strict';
import test from 'node:test';
import { AuditListRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/audit_pb.ts';
import { GroupsSaveRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { TenantInvitationsCreateRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import { RolesSaveRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import { AccountRegisterRequestSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { WebhooksCreateEndpointRequestSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { DomainCreateRequestSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { create } from '@bufbuild/protobuf';
import { operations } from './registry.ts';
import { validate } from './validate.ts';

const tenant = 'tnt_01jd8m3v6zfa2bq0x9c4e7h5gk';

function ofEmpty(name: string): string[] {
  const schema = operations.get(name)?.method.input;
  assert.ok(schema, name);
  return validate(schema, create(schema));
}

test('an empty request fails with exactly the documented messages', () => {
  const name = 'endpoint name is required';
  const url = 'endpoint url is required';
  const id = 'endpoint id is required';
  assert.deepEqual(ofEmpty('Webhooks_CreateEndpoint'), [name, url]);
  assert.deepEqual(ofEmpty('Webhooks_UpdateEndpoint'), [id, name, url]);
  assert.deepEqual(ofEmpty('Webhooks_ListEndpoints'), ['Tenant is required']);
  assert.deepEqual(ofEmpty('Chat_CreateEndpoint'), [name, url]);
  assert.deepEqual(ofEmpty('Chat_UpdateEndpoint'), [id, name]);
  assert.deepEqual(ofEmpty('Chat_ListEndpoints'), ['Tenant is required']);
});

test('validation messages for an empty request to each operation name documented keys', () => {
  for (const [name, { method, public: routed }] of operations) {
    for (const message of validate(method.input, create(method.input))) {
      if (routed)
        assert.match(
          message,
          /^([A-Z][A-Za-z]*(\.[A-Z][A-Za-z]*)*|endpoint (id|name|url)|one of Totp, RecoveryCode and Passkey) is required$/,
          name,
        );
    }
  }
});

test('a record requires its tenant, except if the operation has a default for it', () => {
  assert.deepEqual(ofEmpty('Groups_Save'), ['Group.Tenant is required', 'Group.Path is required']);
  assert.deepEqual(ofEmpty('Bots_Save'), ['Bot.Name is required', 'Bot.Tenant is required']);
  assert.deepEqual(ofEmpty('Grants_Add'), ['Grant.UserID is required', 'Grant.Role is required']);
  assert.deepEqual(ofEmpty('Grants_ListByTenant'), []);
  assert.deepEqual(ofEmpty('Audit_List'), []);
});

test('validate sets an absent record, but not an absent list, time or filter', () => {
  const save = create(GroupsSaveRequestSchema);
  validate(GroupsSaveRequestSchema, save);
  assert.equal(save.group?.tenant, '');
  assert.equal(save.group.metadata, undefined);
  assert.equal(save.ifUpdatedAt, undefined);
  const list = create(AuditListRequestSchema);
  validate(AuditListRequestSchema, list);
  assert.equal(list.page?.limit, 0);
  assert.equal(list.filter, undefined);
});

test('all failed checks are reported, together with the documented ones', () => {
  const request = create(WebhooksCreateEndpointRequestSchema, {
    endpoint: {
      url: 'x'.repeat(2049),
      rateLimit: -1,
      eventTypes: { items: ['user.*', 'A'] },
      description: 'd'.repeat(513),
    },
  });
  assert.deepEqual(validate(WebhooksCreateEndpointRequestSchema, request), [
    'endpoint name is required',
    'Endpoint.URL must be at most 2048 characters',
    'Endpoint.EventTypes must be at most 100 event types such as group.created or user.*',
    'Endpoint.Description must be at most 512 characters',
    'Endpoint.RateLimit must be between 0 and 1000',
  ]);
});

test('lengths are counted in characters', () => {
  const register = (password: string) =>
    validate(
      AccountRegisterRequestSchema,
      create(AccountRegisterRequestSchema, { email: 'ada@example.com', password }),
    );
  assert.deepEqual(register('seven 7'), ['Password must be at least 8 characters']);
  assert.deepEqual(register('😀'.repeat(7)), ['Password must be at least 8 characters']);
  assert.deepEqual(register('😀'.repeat(256)), []);
  assert.deepEqual(register('x'.repeat(257)), ['Password must be at most 256 characters']);
});

test('messages name list items by index', () => {
  const request = create(TenantInvitationsCreateRequestSchema, {
    tenant,
    email: 'ada@example.com',
    roles: ['member', 'admin', 'No'],
    groups: ['eng', ''],
  });
  assert.deepEqual(validate(TenantInvitationsCreateRequestSchema, request), [
    'Roles[2] must be 2 to 63 lower-case letters, digits and "-", beginning with a letter',
    'Groups[1] must not be empty',
  ]);
});

test('long input is rejected in linear time', () => {
  const evil = `${'a.'.repeat(400_000)}!`;
  const began = performance.now();
  validate(
    AccountRegisterRequestSchema,
    create(AccountRegisterRequestSchema, { email: evil, password: evil }),
  );
  validate(
    GroupsSaveRequestSchema,
    create(GroupsSaveRequestSchema, { group: { tenant: evil, path: evil, externalId: evil } }),
  );
  validate(
    RolesSaveRequestSchema,
    create(RolesSaveRequestSchema, {
      role: { tenant, slug: evil, permissions: { items: [evil, evil] } },
    }),
  );
  validate(DomainCreateRequestSchema, create(DomainCreateRequestSchema, { tenant, name: evil }));
  assert.ok(performance.now() - began < 5_000);
});
