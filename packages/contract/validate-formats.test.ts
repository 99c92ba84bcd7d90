import assert from 'node:assert/strict';
import test from 'node:test';
import { GrantsAddRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/grants_pb.ts';
import { GroupsSaveRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { AccountRegisterRequestSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { BotKeysSetExpirationRequestSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_keys_pb.ts';
import {
  UsersCreateRequestSchema,
  UsersListRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { WebhooksDeliverRequestSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { DomainCreateRequestSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { SsoCheckRequestSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/sso_pb.ts';
import { create } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { validate } from './validate.ts';

const tenant = 'tnt_01jd8m3v6zfa2bq0x9c4e7h5gk';
const user = 'usr_01jd8m3v6zfa2bq0x9c4e7h5gk';

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
