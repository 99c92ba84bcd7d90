import assert from 'node:assert/strict';
import test from 'node:test';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs, timestampNow } from '@bufbuild/protobuf/wkt';
import { AuditListRequestSchema } from './gen/bailiwick/access/v1/audit_pb.ts';
import { GrantsAddRequestSchema } from './gen/bailiwick/access/v1/grants_pb.ts';
import { GroupsSaveRequestSchema } from './gen/bailiwick/access/v1/groups_pb.ts';
import { TenantInvitationsCreateRequestSchema } from './gen/bailiwick/access/v1/invitations_pb.ts';
import { RolesSaveRequestSchema } from './gen/bailiwick/access/v1/roles_pb.ts';
import { TenantsCreateRequestSchema } from './gen/bailiwick/access/v1/tenants_pb.ts';
import { AccountRegisterRequestSchema } from './gen/bailiwick/identity/v1/account_pb.ts';
import {
  BotKeysCreateRequestSchema,
  BotKeysRotateRequestSchema,
  BotKeysSetExpirationRequestSchema,
} from './gen/bailiwick/identity/v1/bot_keys_pb.ts';
import {
  UsersCreateRequestSchema,
  UsersListRequestSchema,
} from './gen/bailiwick/identity/v1/users_pb.ts';
import {
  WebhooksCreateEndpointRequestSchema,
  WebhooksDeliverRequestSchema,
  WebhooksReplayFailedRequestSchema,
} from './gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { DomainCreateRequestSchema } from './gen/bailiwick/sso/v1/domain_pb.ts';
import { SsoSaveProviderRequestSchema } from './gen/bailiwick/sso/v1/provider_pb.ts';
import { SsoCheckRequestSchema } from './gen/bailiwick/sso/v1/sso_pb.ts';
import { operations } from './registry.ts';
import { validate } from './validate.ts';

const tenant = 'tnt_01jd8m3v6zfa2bq0x9c4e7h5gk';
const user = 'usr_01jd8m3v6zfa2bq0x9c4e7h5gk';
const bot = 'bot_01jd8m3v6zfa2bq0x9c4e7h5gk';

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
          /^([A-Z][A-Za-z]*(\.[A-Z][A-Za-z]*)*|endpoint (id|name|url)) is required$/,
          name,
        );
    }
  }
});

test('a record requires its tenant, except if the operation has a default for it', () => {
  assert.deepEqual(ofEmpty('Groups_Save'), ['Group.Tenant is required', 'Group.Path is required']);
  assert.deepEqual(ofEmpty('Bots_Save'), ['Bot.Tenant is required', 'Bot.Name is required']);
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
  const save = (value: string) => {
    const provider = {
      tenant,
      kind: 'oidc',
      name: 'IdP',
      groupMappings: { items: [{ value, role: 'member' }] },
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
  const claim = (defaultRole: string) =>
    validate(
      DomainCreateRequestSchema,
      create(DomainCreateRequestSchema, { tenant, name: 'example.com', defaultRole }),
    );
  const found = (defaultRole: string) =>
    validate(
      TenantsCreateRequestSchema,
      create(TenantsCreateRequestSchema, { tenant: { name: 'Acme', settings: { defaultRole } } }),
    );
  for (const role of ['', 'admin', 'owners'])
    assert.deepEqual([claim(role), found(role)], [[], []]);
  assert.deepEqual(claim('owner'), ['DefaultRole must not be owner']);
  assert.deepEqual(found('owner'), ['Tenant.Settings.DefaultRole must not be owner']);
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

test('paths, slugs and ids of the documented format are accepted', () => {
  const grant = (role: string, userId: string) =>
    validate(GrantsAddRequestSchema, create(GrantsAddRequestSchema, { grant: { userId, role } }));
  assert.deepEqual(grant('a1', user), []);
  for (const bad of ['a', '1a', 'A1', 'a_b', `a${'b'.repeat(63)}`])
    assert.equal(grant(bad, user).length, 1, bad);
  const strangers = [
    tenant,
    'usr_',
    'usr_81jd8m3v6zfa2bq0x9c4e7h5gk',
    'usr_01jd8m3v6zfa2bq0x9c4e7h5g',
    user.toUpperCase(),
    `${user}x`,
    'usr_01jd8m3v6zfa2bq0x9c4e7h5gu',
  ];
  for (const bad of strangers)
    assert.deepEqual(
      grant('member', bad),
      ['Grant.UserID must be an identifier that begins with usr_'],
      bad,
    );
  const group = (path: string) =>
    validate(GroupsSaveRequestSchema, create(GroupsSaveRequestSchema, { group: { tenant, path } }));
  for (const good of ['a', '/a', 'Eng/Back-end/v1.2_x', 'a/b/c/d/e/f/g/h', `${'a'.repeat(63)}/b`])
    assert.deepEqual(group(good), [], good);
  for (const bad of [
    '/',
    'a/',
    '//a',
    'a//b',
    '-a',
    '.',
    'a/../b',
    'a b',
    'ä',
    'a/b/c/d/e/f/g/h/i',
    'a'.repeat(64),
  ]) {
    assert.equal(group(bad).length, 1, bad);
  }
});

test('addresses of the documented format are accepted', () => {
  const check = (email: string) =>
    validate(
      AccountRegisterRequestSchema,
      create(AccountRegisterRequestSchema, { email, password: 'long enough' }),
    );
  for (const good of [
    'ada@example.com',
    ' ada@example.com ',
    'a.b+c_d%x@sub.example.co',
    'jörg@bücher.example',
    "o'neil@example.com",
  ]) {
    assert.deepEqual(check(good), [], good);
  }
  const bad = [
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'a b@example.com',
    'a..b@example.com',
    '.a@example.com',
    'a@b@example.com',
    '"a"@example.com',
    'a@-x.example',
    'a@x..example',
    'a\n@example.com',
    'a\u0000@example.com',
    'a@[192.0.2.1]',
    'a\u202e@example.com',
    'a@exa\u200bmple.com',
    'a\u3000@example.com',
    'a<b>@example.com',
    `${'a'.repeat(243)}@example.com`,
  ];
  for (const address of bad)
    assert.deepEqual(check(address), ['Email must be a mail address'], address);
});

test('an address whose domain has no ASCII form is reported by field, together with the other errors', () => {
  const make = (email: string, name = '') =>
    validate(UsersCreateRequestSchema, create(UsersCreateRequestSchema, { user: { email, name } }));
  assert.deepEqual(make('ada@bücher.example'), []);
  assert.deepEqual(make('ada@xn--ü.com', 'x'.repeat(129)), [
    'User.Name must be at most 128 characters',
    'User.Email must be a mail address',
  ]);
  assert.deepEqual(make('nothing'), ['User.Email must be a mail address'], 'once');
  const check = (email: string) =>
    validate(SsoCheckRequestSchema, create(SsoCheckRequestSchema, { email }));
  assert.deepEqual(check('ada@xn--ü.com'), ['Email must be a mail address']);
});

test('event types, domain names, times and numbers are accepted only in the documented format', () => {
  const deliver = (type: string) =>
    validate(
      WebhooksDeliverRequestSchema,
      create(WebhooksDeliverRequestSchema, {
        tenant,
        endpoint: 'whk_01jd8m3v6zfa2bq0x9c4e7h5gk',
        type,
        body: new Uint8Array(1),
      }),
    );
  assert.deepEqual(deliver('order.line_item.created'), []);
  for (const bad of ['Order', 'a..b', 'a.', 'a-b', 'a'.repeat(65), 'user.*'])
    assert.equal(deliver(bad).length, 1, bad);
  const claim = (name: string, capture = '') =>
    validate(
      DomainCreateRequestSchema,
      create(DomainCreateRequestSchema, { tenant, name, capture }),
    );
  for (const good of ['example.com', 'bücher.example', 'xn--bcher-kva.example'])
    assert.deepEqual(claim(good), [], good);
  for (const bad of ['example', '.com', 'a_b.com', 'https://example.com', 'a.com.'])
    assert.equal(claim(bad).length, 1, bad);
  assert.deepEqual(claim('example.com', 'all'), [
    'Capture must be one of off, suggest, join, require_sso',
  ]);
  const expire = create(BotKeysSetExpirationRequestSchema, {
    tenant,
    id: 'bky_01jd8m3v6zfa2bq0x9c4e7h5gk',
  });
  assert.deepEqual(validate(BotKeysSetExpirationRequestSchema, expire), ['ExpiresAt is required']);
  expire.expiresAt = timestampNow();
  assert.deepEqual(validate(BotKeysSetExpirationRequestSchema, expire), []);
  const list = create(UsersListRequestSchema, { page: { limit: -1 } });
  assert.deepEqual(validate(UsersListRequestSchema, list), ['Page.Limit must be at least 0']);
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
