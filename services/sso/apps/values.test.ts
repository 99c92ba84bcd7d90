import assert from 'node:assert/strict';
import { test } from 'node:test';
import { egressRules } from '@bailiwick/egress';
import { AppSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/apps_pb.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { AppKind } from './entities.ts';
import { problemsOf, settableOf } from './values.ts';

const egress = egressRules({ hosts: [], cidrs: [], ports: [] });
const callback = { items: ['https://app.example.com/callback'] };
type AppInput = MessageInitShape<typeof AppSchema>;
const valuesOf = (kind: AppKind, input: AppInput = {}) =>
  settableOf(kind, create(AppSchema, input));
const problems = (kind: AppKind, input: AppInput = {}, tenant = 'tnt_1') =>
  problemsOf(valuesOf(kind, input), { tenant, kind, egress });

test('a new app gets the defaults of its kind', () => {
  const methods = { web: 'basic', spa: 'none', native: 'none', device: 'none', service: 'basic' };
  for (const [kind, method] of Object.entries(methods)) {
    const { tokenEndpointAuthMethod, tokenLifetimeSeconds, scopes } = valuesOf(kind as AppKind);
    assert.match(tokenEndpointAuthMethod, new RegExp(`${method}$`));
    assert.equal(tokenLifetimeSeconds, 300);
    assert.deepEqual(scopes, kind === 'service' ? [] : ['openid', 'profile', 'email']);
  }
});

test('an absent field keeps its stored value, and a sent one replaces it', () => {
  const stored = valuesOf('web', { name: 'a', redirectUris: callback, requirePar: true });
  const unchanged = settableOf('web', create(AppSchema, { name: 'a' }), stored);
  assert.deepEqual(unchanged, stored);
  const input = { name: 'b', scopes: { items: ['email', 'email'] }, requirePar: false };
  const changed = settableOf('web', create(AppSchema, input), stored);
  assert.deepEqual(changed, { ...stored, name: 'b', scopes: ['email'], requirePar: false });
});

test('web, spa and native need an address to return to, device and service have none', () => {
  for (const kind of ['web', 'spa', 'native'] as const) {
    assert.deepEqual(problems(kind), [`App.RedirectURIs is required with Kind ${kind}`]);
    assert.deepEqual(problems(kind, { redirectUris: callback }), []);
  }
  for (const kind of ['device', 'service'] as const) {
    assert.deepEqual(problems(kind), []);
    assert.deepEqual(problems(kind, { redirectUris: callback }), [
      `App.RedirectURIs must be empty with Kind ${kind}`,
    ]);
  }
});

test('only web and service authenticate, and they have to', () => {
  const method = 'App.TokenEndpointAuthMethod must';
  for (const kind of ['web', 'service'] as const) {
    const redirectUris = kind === 'web' ? callback : { items: [] };
    assert.deepEqual(problems(kind, { redirectUris, tokenEndpointAuthMethod: 'none' }), [
      `${method} not be none with Kind ${kind}`,
    ]);
    assert.deepEqual(problems(kind, { redirectUris, tokenEndpointAuthMethod: '' }), []);
    assert.deepEqual(problems(kind, { redirectUris, tokenEndpointAuthMethod: 'private_key_jwt' }), [
      'App.Jwks is required with private_key_jwt',
    ]);
  }
  assert.deepEqual(problems('device', { tokenEndpointAuthMethod: 'client_secret_basic' }), [
    `${method} be none with Kind device: the app cannot keep a secret`,
  ]);
});

test('every problem is reported with its field', () => {
  const input = {
    redirectUris: { items: [...callback.items, 'ftp://app.example.com'] },
    postLogoutRedirectUris: { items: ['/out'] },
    backchannelLogoutUri: 'https://10.0.0.1/logout',
    scopes: { items: ['openid', 'iam.platform.users.read'] },
    jwks: '[]',
  };
  assert.deepEqual(problems('web', input), [
    'App.RedirectURIs[1] must begin with https://, or with http:// on the same machine',
    'App.PostLogoutRedirectURIs[0] must be a URL',
    'App.BackchannelLogoutURI must be a public address',
    'App.Scopes must not contain iam.platform permissions if App.Tenant is not empty',
    'App.Jwks must be a JSON Web Key Set, such as {"keys":[…]}',
  ]);
  const onPlatform = { redirectUris: callback, scopes: input.scopes };
  assert.deepEqual(problems('web', onPlatform, ''), []);
  const hash = { redirectUris: callback, backchannelLogoutUri: 'https://app.example.com/out#a' };
  assert.deepEqual(problems('web', hash), ['App.BackchannelLogoutURI must have no fragment']);
});

test('a stored back-channel address stays when the egress rules no longer allow it', () => {
  const values = valuesOf('service', { backchannelLogoutUri: 'https://10.0.0.1/logout' });
  const rules = { tenant: '', kind: 'service', egress } as const;
  assert.equal(problemsOf(values, rules).length, 1);
  assert.deepEqual(problemsOf(values, rules, values), []);
});
