import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { serviceOrigin } from '@bailiwick/contract';
import { erasePreviousSecrets } from '@bailiwick/sso/apps/queries.ts';
import { assertRefused, bodyOf, readList, recordIn } from '../support/answers.ts';
import { describeOne, type Stack } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { dumpOf, rowsOf, textBelow } from '../support/store.ts';
import {
  type App,
  type AppWithSecret,
  callback,
  createAppCalls,
  hashOf,
  type Person,
} from './app-calls.ts';
import { testAppRights } from './app-rights.ts';

// The records of the OpenID provider's clients.

describeOne('apps', 'one process', (topology) => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  before(async () => {
    stack = await sharedStack(topology);
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  const suite = () => ({ stack, ada, bob });
  const calls = createAppCalls(suite);
  const { newTenant, web, save, saved, read, rotate, appEvents, database, hashesOf, keyOf } = calls;
  testAppRights(suite, calls);

  test('Apps_Save creates an app with the defaults of its kind, and returns its secret once', async () => {
    const Tenant = await newTenant();
    const managed = {
      SecretCreatedAt: 7,
      PreviousSecretUntil: 'x',
      CreatedBy: ['x'],
      CreatedAt: 1,
    };
    const { App, ClientSecret } = await saved({ ...web(Tenant), ...managed });
    const { ID, SecretCreatedAt, UpdatedAt, ...rest } = App;
    assert.match(ID, /^app_[0-7][0-9a-z]{25}$/);
    assert.match(ClientSecret, /^bwka_[0-9A-Za-z]{49}$/);
    assert.equal(SecretCreatedAt, UpdatedAt);
    assert.deepEqual(rest, {
      ...web(Tenant),
      Active: true,
      PostLogoutRedirectURIs: [],
      BackchannelLogoutURI: '',
      Scopes: ['openid', 'profile', 'email'],
      Resources: [],
      TokenLifetimeSeconds: 300,
      RefreshReuseSeconds: 30,
      RequireConsent: false,
      RequirePAR: false,
      DPoP: false,
      TokenEndpointAuthMethod: 'client_secret_basic',
      Jwks: '',
      LogoPath: '',
      LogoWidth: 0,
      LogoHeight: 0,
      CreatedBy: ada.id,
      CreatedAt: UpdatedAt,
    });
    assert.deepEqual(recordIn(await read(Tenant, ID), 'App'), App);
    const { items } = await readList(stack, 'Apps_List', { Tenant }, ada.token);
    assert.deepEqual(items, [App]);
    const [event] = await appEvents(Tenant);
    assert.deepEqual([event?.type, event?.data], ['oauth_app.created', App]);
    assert.deepEqual(await hashesOf(ID), [hashOf(ClientSecret), undefined]);
    for (const Kind of ['spa', 'native', 'device']) {
      const RedirectURIs = Kind === 'device' ? [] : [callback];
      const open = await saved({ Tenant, Kind, Name: Kind, RedirectURIs });
      assert.deepEqual([open.ClientSecret, open.App.SecretCreatedAt], ['', undefined]);
    }
  });

  test('Apps_Save keeps absent fields, replaces sent ones, and lists the changes in its event', async () => {
    const Tenant = await newTenant();
    const { App } = await saved({ ...web(Tenant), Scopes: ['openid', 'groups'] });
    const { ID } = App;
    const renamed = await saved({ Tenant, ID, Name: 'Docs' });
    assert.deepEqual(renamed, {
      App: { ...App, Name: 'Docs', UpdatedAt: renamed.App.UpdatedAt },
      ClientSecret: '',
    });
    const settings = { Resources: ['https://api.example.com'], Scopes: [], RequirePAR: true };
    const changed = await saved({ ...renamed.App, ...settings });
    assert.deepEqual(changed.App, {
      ...renamed.App,
      ...settings,
      UpdatedAt: changed.App.UpdatedAt,
    });
    assert.deepEqual((await saved(changed.App)).App, changed.App);
    assertRefused(await save({ Tenant, ID, Name: 'Docs', Kind: 'spa' }), 400, 'invalid_argument', [
      'App.Kind cannot be changed',
    ]);
    assert.deepEqual(
      (await appEvents(Tenant)).map(({ type, previous }) => [type, previous]),
      [
        ['oauth_app.created', {}],
        ['oauth_app.updated', { Name: 'Wiki' }],
        ['oauth_app.updated', { Scopes: ['openid', 'groups'], Resources: [], RequirePAR: false }],
      ],
    );
  });

  test('Apps_Save reports every problem of a new app at once, before the permission', async () => {
    const Tenant = await newTenant();
    const wrong = {
      Tenant,
      Kind: 'spa',
      Scopes: ['openid', 'all'],
      RedirectURIs: ['https://app.example.com/*', 'http://app.example.com'],
      Resources: ['api'],
      TokenLifetimeSeconds: 59,
      TokenEndpointAuthMethod: 'client_secret_post',
      BackchannelLogoutURI: 'http://app.example.com/',
      Jwks: '{"keys":[{"kty":"oct","k":"YQ"}]}',
    };
    const { status, body } = await save(wrong, {}, bob.token);
    assert.equal(status, 400);
    assert.deepEqual(body.Messages, [
      'App.Name is required',
      'App.RedirectURIs must be at most 50 URLs of 1 to 2048 ASCII characters, without a fragment and wildcards',
      'App.Scopes must be at most 100 of openid, profile, email, offline_access, groups, account and permissions such as app.reports.read',
      'App.Resources must be at most 20 absolute URIs of at most 512 ASCII characters, without a fragment',
      'App.TokenLifetimeSeconds must be between 60 and 3600',
      'App.RedirectURIs[1] must begin with https://, or with http:// on the same machine',
      'App.BackchannelLogoutURI must begin with https://',
      'App.TokenEndpointAuthMethod must be none with Kind spa: the app cannot keep a secret',
      'App.Jwks must contain public keys only',
    ]);
    const { App } = await saved(web(Tenant));
    assertRefused(
      await save({ Tenant, ID: App.ID, Name: 'a', RedirectURIs: [] }),
      400,
      'invalid_argument',
      ['App.RedirectURIs is required with Kind web'],
    );
    for (const scope of ['iam.internal.deliver', 'iam.internal.*', 'iam.platform.*'])
      assertRefused(await save({ ...web(Tenant), Scopes: [scope] }), 400, 'invalid_argument');
  });

  test('an app that begins to use a secret gets one, and one that stops has none any more', async () => {
    const Tenant = await newTenant();
    const { App, ClientSecret } = await saved({ Tenant, Kind: 'service', Name: 'Nightly' });
    const { ID } = App;
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = publicKey.export({ format: 'jwk' });
    const byKey = { Tenant, ID, Name: 'Nightly', TokenEndpointAuthMethod: 'private_key_jwt' };
    assertRefused(await save(byKey), 400, 'invalid_argument', [
      'App.Jwks is required with private_key_jwt',
    ]);
    bodyOf(await rotate(Tenant, ID, { KeepOldSeconds: 60 }));
    const keyed = await saved({ ...byKey, Jwks: JSON.stringify({ keys: [{ ...key, x5c: [] }] }) });
    assert.deepEqual(JSON.parse(keyed.App.Jwks), { keys: [{ ...key, use: 'sig' }] });
    assert.deepEqual(
      [keyed.ClientSecret, keyed.App.SecretCreatedAt, keyed.App.PreviousSecretUntil],
      ['', undefined, undefined],
    );
    assert.deepEqual(await hashesOf(ID), [undefined, undefined]);
    assertRefused(await rotate(Tenant, ID), 400, 'failed_precondition', [
      'an app with private_key_jwt has no client secret',
    ]);
    const again = await saved({ ...keyed.App, TokenEndpointAuthMethod: '' });
    assert.notEqual(again.ClientSecret, ClientSecret);
    assert.deepEqual(await hashesOf(ID), [hashOf(again.ClientSecret), undefined]);
  });

  test('Apps_RotateSecret replaces the secret, and keeps the previous one for the given time only', async () => {
    const Tenant = await newTenant();
    const { App, ClientSecret: first } = await saved(web(Tenant));
    const { ID } = App;
    const rotated = async (rest: object = {}) =>
      bodyOf(await rotate(Tenant, ID, rest)) as unknown as AppWithSecret;
    const second = await rotated({ KeepOldSeconds: 3600 });
    assert.deepEqual(await hashesOf(ID), [hashOf(second.ClientSecret), hashOf(first)]);
    const end = Date.parse(second.App.PreviousSecretUntil ?? '');
    assert.ok(Math.abs(end - Date.now() - 3_600_000) < 60_000, second.App.PreviousSecretUntil);
    await rowsOf(
      stack,
      `update sso.app set previous_secret_until = now() - interval '1 second' where id = $1`,
      [ID],
    );
    const expired = recordIn(await read(Tenant, ID), 'App') as App;
    assert.equal(expired.PreviousSecretUntil, undefined);
    await erasePreviousSecrets(database(), serviceOrigin('sso'));
    assert.deepEqual(await hashesOf(ID), [hashOf(second.ClientSecret), undefined]);
    await rotated({ KeepOldSeconds: 60 });
    const last = await rotated();
    assert.deepEqual(await hashesOf(ID), [hashOf(last.ClientSecret), undefined]);
    assert.equal(last.App.PreviousSecretUntil, undefined);
    const types = (await appEvents(Tenant)).map(({ type }) => type);
    const changes = Array.from({ length: 3 }, () => 'oauth_app.secret_rotated');
    assert.deepEqual(types, ['oauth_app.created', ...changes]);
    for (const KeepOldSeconds of [-1, 86_401])
      assertRefused(await rotate(Tenant, ID, { KeepOldSeconds }), 400, 'invalid_argument');
  });

  test('Apps_RotateSecret, called 200 times at once, leaves the newest secret and the one before it', async () => {
    const Tenant = await newTenant();
    const { App } = await saved(web(Tenant));
    const key = await keyOf(Tenant, 'owner');
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => rotate(Tenant, App.ID, { KeepOldSeconds: 60 }, key)),
    );
    const rotated = answers.filter(({ status }) => status === 200);
    // Calls beyond the limit of waiting changes of one row change nothing.
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 429, 'resource_exhausted');
    assert.ok(rotated.length >= 20, `${rotated.length} rotations`);
    const newestFirst = rotated
      .map(({ body }) => body as unknown as AppWithSecret)
      .toSorted((one, other) => other.App.UpdatedAt.localeCompare(one.App.UpdatedAt))
      .map(({ ClientSecret }) => hashOf(ClientSecret));
    assert.equal(new Set(newestFirst).size, rotated.length);
    assert.deepEqual(await hashesOf(App.ID), newestFirst.slice(0, 2));
    const events = (await appEvents(Tenant)).filter(({ type }) => type.endsWith('secret_rotated'));
    assert.equal(events.length, rotated.length);
  });

  test('a client secret is in no other answer, event, table, log or broker file', async () => {
    const Tenant = await newTenant();
    const idempotent = { 'idempotency-key': randomUUID() };
    const create = () => stack.call('Apps_Save', { App: web(Tenant) }, ada.token, idempotent);
    const first = bodyOf(await create()) as unknown as AppWithSecret;
    assert.deepEqual(bodyOf(await create()), first, 'a repeated call gets the first answer');
    const second = bodyOf(await rotate(Tenant, first.App.ID)) as unknown as AppWithSecret;
    const { items } = await readList<App>(stack, 'Apps_List', { Tenant }, ada.token);
    assert.equal(items.length, 1);
    const everything = [
      JSON.stringify(items),
      await dumpOf(stack, 'sso'),
      textBelow(stack.folder),
    ].join('\n');
    assert.ok(everything.includes(first.App.ID), 'the searched text covers the app');
    for (const { ClientSecret } of [first, second]) {
      assert.ok(!everything.includes(ClientSecret));
      assert.ok(!everything.includes(Buffer.from(ClientSecret).toString('hex')));
    }
    assertRefused(await stack.call('Account_Get', {}, first.ClientSecret), 401, 'unauthenticated');
  });

  test('Apps_Save with IfUpdatedAt fails if the app has changed, and of ten calls at once one wins', async () => {
    const Tenant = await newTenant();
    const { App } = await saved(web(Tenant));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        save({ ...App, Name: `Name ${index}` }, { IfUpdatedAt: App.UpdatedAt }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['the app was changed meanwhile']);
    assertRefused(
      await save(web(Tenant), { IfUpdatedAt: App.UpdatedAt }),
      400,
      'failed_precondition',
    );
  });

  test('a tenant has at most 100 apps, even when created at once, and lists them in pages', async () => {
    const Tenant = await newTenant();
    await rowsOf(
      stack,
      `insert into sso.app select $1, 'app_' || lpad(n::text, 26, '0'), 'a', 'service', true, '{}', '{}', '', '{}', '{}', 300, false, false, false,
         'private_key_jwt', '', null, null, null, null, '', now(), now() from generate_series(1, 95) n`,
      [Tenant],
    );
    const answers = await Promise.all(Array.from({ length: 10 }, () => save(web(Tenant))));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['a tenant has at most 100 apps']);
    const { items, sizes } = await readList<App>(stack, 'Apps_List', { Tenant }, ada.token, 40);
    assert.deepEqual([sizes, new Set(items.map(({ ID }) => ID)).size], [[40, 40, 20], 100]);
  });

  test('Apps_Delete deletes the app, and a repeated call does nothing', async () => {
    const Tenant = await newTenant();
    const { App } = await saved(web(Tenant));
    for (let times = 0; times < 2; times++)
      bodyOf(await stack.call('Apps_Delete', { Tenant, ID: App.ID }, ada.token));
    assertRefused(await read(Tenant, App.ID), 400, 'not_found');
    const deleted = (await appEvents(Tenant)).filter(({ type }) => type === 'oauth_app.deleted');
    assert.equal(deleted.length, 1);
    assertRefused(await save({ ...App }), 400, 'not_found');
  });
});
