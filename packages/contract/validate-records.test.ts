import assert from 'node:assert/strict';
import test from 'node:test';
import { GroupsSaveRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { RolesSaveRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import { TenantsCreateRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import {
  BotKeysCreateRequestSchema,
  BotKeysRotateRequestSchema,
  BotKeysSetExpirationRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_keys_pb.ts';
import { WebhooksReplayFailedRequestSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { DomainCreateRequestSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { SsoSaveProviderRequestSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { validate } from './validate.ts';

const tenant = 'tnt_01jd8m3v6zfa2bq0x9c4e7h5gk';
const bot = 'bot_01jd8m3v6zfa2bq0x9c4e7h5gk';

test('Metadata is limited to 50 keys and 4 KiB', () => {
  const save = (items: Record<string, string>) =>
    validate(
      GroupsSaveRequestSchema,
      create(GroupsSaveRequestSchema, { group: { tenant, path: 'eng', metadata: { items } } }),
    );
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
  assert.deepEqual(save(keys(50)), []);
  assert.deepEqual(save(keys(51)), ['Group.Metadata must have at most 50 keys']);
  assert.deepEqual(save({ a: 'x'.repeat(4095) }), []);
  assert.deepEqual(save({ a: 'ü'.repeat(2048) }), [
    'Group.Metadata must be at most 4096 bytes in all',
  ]);
  assert.deepEqual(save({ '': 'v' }), ['Group.Metadata[""] key must not be empty']);
  assert.deepEqual(save({ ['k'.repeat(65)]: 'v' }), [
    `Group.Metadata["${'k'.repeat(40)}…"] key must be at most 64 characters`,
  ]);
});

test('a role is limited to 200 permissions of the documented format', () => {
  const save = (...items: string[]) =>
    validate(
      RolesSaveRequestSchema,
      create(RolesSaveRequestSchema, { role: { tenant, slug: 'editor', permissions: { items } } }),
    );
  assert.deepEqual(save('*', 'iam.users.read', 'iam.*', 'app:doc-x.read_2', 'a.b.c.d.e.f'), []);
  assert.deepEqual(save(...Array.from({ length: 201 }, (_, index) => `app.p${index}`)), [
    'Role.Permissions must be at most 200 permissions',
  ]);
  const message =
    'Role.Permissions must be permissions such as app.reports.read, "*" only as the last segment';
  for (const bad of [
    '',
    'app',
    'App.read',
    'a.*.b',
    'a.b.',
    '.a',
    'a.b.c.d.e.f.g',
    'a b.c',
    'a.b*',
  ]) {
    assert.deepEqual(save('iam.users.read', bad), [message], bad);
  }
});

test('a bot key accepts the same permissions, and IP addresses and networks', () => {
  const make = (init: MessageInitShape<typeof BotKeysCreateRequestSchema>) =>
    validate(
      BotKeysCreateRequestSchema,
      create(BotKeysCreateRequestSchema, { tenant, bot, name: 'ci', ...init }),
    );
  assert.deepEqual(
    make({
      permissions: ['app.read', '*'],
      allowedIps: ['192.0.2.1', '192.0.2.0/24', '2001:db8::/32'],
    }),
    [],
  );
  assert.deepEqual(make({ permissions: ['a.*.b'] }), [
    'Permissions[0] must be a permission such as app.reports.read, "*" only as the last segment',
  ]);
  for (const bad of ['192.0.2.1/24', 'fe80::1%eth0'])
    assert.deepEqual(make({ allowedIps: [bad] }), [
      'AllowedIPs[0] must be an IP address or a network such as 192.0.2.0/24',
    ]);
});

test("the name of a provider's group must not contain control characters", () => {
  const save = (group: string) => {
    const provider = {
      tenant,
      kind: 'oidc',
      name: 'IdP',
      groupMappings: { items: [{ value: group, role: 'member' }] },
    };
    return validate(
      SsoSaveProviderRequestSchema,
      create(SsoSaveProviderRequestSchema, { provider }),
    );
  };
  assert.deepEqual(save('CN=Ärzte,OU="x\\y"'), []);
  for (const control of ['\u0000', '\u0001', '\n', '\u001f', '\u007f'])
    assert.deepEqual(save(`a${control}b`), [
      'Provider.GroupMappings[0].Value must not contain control characters',
    ]);
});

test('a new provider requires a kind, one source of metadata, and group mappings with a group or role', () => {
  const save = (init: MessageInitShape<typeof SsoSaveProviderRequestSchema>) =>
    validate(SsoSaveProviderRequestSchema, create(SsoSaveProviderRequestSchema, init));
  assert.deepEqual(
    save({ provider: { tenant, id: 'sso_01jd8m3v6zfa2bq0x9c4e7h5gk', name: 'IdP' } }),
    [],
  );
  const groupMappings = {
    items: [{ value: 'a', role: 'member' }, { value: 'b', group: 'eng' }, { value: 'c' }, {}],
  };
  assert.deepEqual(
    save({
      provider: { tenant, name: 'IdP', groupMappings },
      metadataXml: '<a/>',
      metadataUrl: 'https://idp.example/',
    }),
    [
      'Provider.Kind is required',
      'MetadataXML and MetadataURL cannot both be sent',
      'Provider.GroupMappings[2] must name a Group or a Role',
      'Provider.GroupMappings[3].Value is required',
      'Provider.GroupMappings[3] must name a Group or a Role',
    ],
  );
});

test('a bot key expires within a year, and a new one not in the past', () => {
  const inDays = (days: number) => timestampFromMs(Date.now() + days * 24 * 60 * 60 * 1000);
  const issue = (days: number) =>
    validate(
      BotKeysCreateRequestSchema,
      create(BotKeysCreateRequestSchema, { tenant, bot, name: 'ci', expiresAt: inDays(days) }),
    );
  const id = 'bky_01jd8m3v6zfa2bq0x9c4e7h5gk';
  const rotate = (days: number) =>
    validate(
      BotKeysRotateRequestSchema,
      create(BotKeysRotateRequestSchema, { tenant, id, expiresAt: inDays(days) }),
    );
  const expire = (days: number) =>
    validate(
      BotKeysSetExpirationRequestSchema,
      create(BotKeysSetExpirationRequestSchema, { tenant, id, expiresAt: inDays(days) }),
    );
  for (const run of [issue, rotate])
    assert.deepEqual([run(-1), run(1)], [['ExpiresAt must be in the future'], []]);
  assert.deepEqual(expire(-1), []);
  for (const run of [issue, rotate, expire])
    assert.deepEqual([run(364.9), run(365.1)], [[], ['ExpiresAt must be at most 365 days ahead']]);
});

test('a default role cannot be owner', () => {
  const domainProblems = (defaultRole: string) =>
    validate(
      DomainCreateRequestSchema,
      create(DomainCreateRequestSchema, { tenant, name: 'example.com', defaultRole }),
    );
  const tenantProblems = (defaultRole: string) =>
    validate(
      TenantsCreateRequestSchema,
      create(TenantsCreateRequestSchema, { tenant: { name: 'Acme', settings: { defaultRole } } }),
    );
  for (const role of ['', 'admin', 'owners'])
    assert.deepEqual([domainProblems(role), tenantProblems(role)], [[], []]);
  assert.deepEqual(domainProblems('owner'), ['DefaultRole must not be owner']);
  assert.deepEqual(tenantProblems('owner'), ['Tenant.Settings.DefaultRole must not be owner']);
});

test('a replay period must not end before it begins', () => {
  const id = 'whk_01jd8m3v6zfa2bq0x9c4e7h5gk';
  const replay = (since: number, until?: number) => {
    const times = {
      since: timestampFromMs(since),
      ...(until === undefined ? {} : { until: timestampFromMs(until) }),
    };
    return validate(
      WebhooksReplayFailedRequestSchema,
      create(WebhooksReplayFailedRequestSchema, { tenant, id, ...times }),
    );
  };
  for (const fine of [replay(0), replay(1, 1), replay(1, 2)]) assert.deepEqual(fine, []);
  for (const wrong of [replay(2, 1), replay(Date.now() + 60_000)])
    assert.deepEqual(wrong, ['Since must not be after Until']);
});
