import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import { ask, createApp, exchange, relyOn, resource } from '../sso/issuer/stage.ts';
import { startVisitor } from '../sso/issuer/visitor.ts';
import { createBot, createKey } from '../support/bots.ts';
import { describeBoth, eventually, type Stack } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { openPlace, type Place } from './place.ts';
import { connect, permissionsIn } from './raw-follower.ts';

// Questions of followers about access tokens of the running issuer.

describeBoth('tokens of followers', (topology) => {
  let stack: Stack;
  let place: Place;
  before(async () => {
    stack = await sharedStack(topology);
    place = await openPlace(stack);
  });
  after(() => stack?.stop());

  const Scopes = ['openid', 'offline_access', 'app.reports.*'];
  const scope = 'openid app.reports.read';
  async function newApp(fields: object = {}) {
    const app = await createApp(
      stack,
      { Tenant: place.tenant, Scopes, ...fields },
      place.owner.token,
    );
    return { ID: app.ID, config: await relyOn(stack, app) };
  }

  /** A new member with a grant on a report, signed in to an app. */
  async function newToken(app: Awaited<ReturnType<typeof newApp>>) {
    const user = await signUp(stack);
    const UserID = user.id;
    const Tenant = place.tenant;
    await place.call('TenantMembers_Add', { Tenant, UserID }, stack.platformKey);
    const Grant = { Tenant, UserID, Role: 'report-reader', Resource: 'report:7' };
    await place.call('Grants_Add', { Grant });
    const request = await ask(app.config, { scope, resource });
    const arrival = await startVisitor(stack, user.token).open(request.url);
    const tokens = await exchange(app.config, request, arrival, { resource });
    return { user, Grant, token: tokens.access_token };
  }

  async function follow() {
    const follower = await connect(stack.url);
    await follower.hello(place.credential);
    return follower;
  }

  /** A follower that holds the answer about a token. A recent change may drop it once more. */
  const hold = (token: string, begin = follow) =>
    eventually('a follower with the token', async () => {
      const follower = await begin();
      const answer = await follower.ask(questionAbout(token));
      assert.equal(answer.Error, undefined, JSON.stringify(answer));
      await follower.beat();
      if (follower.drops().length === 0) return { follower, answer };
      await follower.close();
      return undefined;
    });

  const endings: Record<
    string,
    (token: Awaited<ReturnType<typeof newToken>>, app: string) => Promise<unknown>
  > = {
    'the person signs out': ({ user }) => place.call('Account_Logout', {}, user.token),
    "the person withdraws the app's access": ({ user }, ID) =>
      place.call('AccountApps_Delete', { ID }, user.token),
    'the person is no member any more': ({ user }) =>
      place.call('TenantMembers_Remove', { Tenant: place.tenant, UserID: user.id }),
    'the user is disabled': ({ user }) =>
      place.call('Users_Disable', { UserID: user.id }, stack.platformKey),
    'the app is inactive': (_token, ID) =>
      place.call('Apps_Save', { App: { Tenant: place.tenant, ID, Active: false } }),
  };

  for (const [name, end] of Object.entries(endings))
    test(`a person's token is dropped and then refused once ${name}`, async () => {
      const app = await newApp();
      const token = await newToken(app);
      const { follower, answer } = await hold(token.token);
      assert.deepEqual(answer.Value?.Scopes, Scopes);
      assert.ok(permissionsIn(answer, 'report:7').includes('app.reports.read'));
      assert.ok(!permissionsIn(answer, 'report:8').includes('app.reports.read'));
      await end(token, app.ID);
      assert.deepEqual(follower.drops(), [answer.Handle]);
      const later = await follower.ask(questionAbout(token.token));
      assert.equal(later.Error?.Code, 'unauthenticated', JSON.stringify(later));
      await follower.close();
    });

  test("a person's token loses a grant with the reply of its removal, and stays good", async () => {
    const app = await newApp();
    const { token, Grant } = await newToken(app);
    const { follower, answer } = await hold(token);
    await place.call('Grants_Remove', { Grant });
    assert.deepEqual(follower.drops(), [answer.Handle]);
    const later = await follower.ask(questionAbout(token));
    assert.ok(!permissionsIn(later, 'report:7').includes('app.reports.read'));
    await follower.close();
  });

  test("a service's token has the scopes of its app, and ends with it", async () => {
    const app = await newApp({ Kind: 'service', RedirectURIs: [], PostLogoutRedirectURIs: [] });
    const parameters = { resource, scope: 'app.reports.read' };
    const { access_token: token } = await client.clientCredentialsGrant(app.config, parameters);
    const { follower, answer } = await hold(token);
    assert.deepEqual(answer.Value, { Scopes });
    await place.call('Apps_Delete', { Tenant: place.tenant, ID: app.ID });
    assert.deepEqual(follower.drops(), [answer.Handle]);
    assert.equal((await follower.ask(questionAbout(token))).Error?.Code, 'unauthenticated');
    await follower.close();
  });

  test("a service's token is dropped and then refused once its tenant is suspended, and works again with it", async () => {
    // A follower of all tenants, whose own one stays active.
    const elsewhere = await openPlace(stack);
    const Grant = { Platform: true, Bot: elsewhere.bot.ID, Role: 'follower' };
    await place.call('BotGrants_Add', { Grant }, stack.platformKey);
    const { owner, tenant: Tenant, call } = await openPlace(stack);
    const service = { Tenant, Scopes, Kind: 'service', RedirectURIs: [] };
    const app = await createApp(stack, { ...service, PostLogoutRedirectURIs: [] }, owner.token);
    const followAll = async () => {
      const all = await connect(stack.url);
      await all.hello(elsewhere.credential);
      return all;
    };
    const parameters = { resource, scope: 'app.reports.read' };
    const config = await relyOn(stack, app);
    const { access_token: token } = await client.clientCredentialsGrant(config, parameters);
    const { follower, answer } = await hold(token, followAll);
    assert.deepEqual(answer.Value, { Scopes });
    await call('Tenants_Suspend', { Tenant }, stack.platformKey);
    assert.deepEqual(follower.drops(), [answer.Handle]);
    await follower.close();
    const later = await followAll();
    const refused = await later.ask(questionAbout(token));
    assert.equal(refused.Error?.Code, 'unauthenticated', JSON.stringify(refused));
    await later.close();
    await call('Tenants_Resume', { Tenant }, stack.platformKey);
    const { follower: last, answer: again } = await hold(token, followAll);
    assert.deepEqual(again.Value, { Scopes });
    await last.close();
  });

  test("a bot's token has the grants within its key, and ends with the key", async () => {
    const { owner, tenant: Tenant, call } = place;
    const bot = await createBot(stack, Tenant, owner.token);
    await call('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'report-reader' } });
    await call('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'member' } });
    const { Key, Secret } = await createKey(stack, bot, owner.token, { Permissions: ['app.*'] });
    const config = await relyOn(stack, { ID: bot.ID, secret: Secret });
    const { access_token: token } = await client.clientCredentialsGrant(config);
    const { follower, answer } = await hold(token);
    assert.equal(answer.Value?.Scopes, undefined);
    assert.deepEqual(permissionsIn(answer), ['app.reports.read']);
    const ExpiresAt = new Date(Date.now() - 1000).toISOString();
    await call('BotKeys_SetExpiration', { Tenant, ID: Key.ID, ExpiresAt });
    assert.deepEqual(follower.drops(), [answer.Handle]);
    assert.equal((await follower.ask(questionAbout(token))).Error?.Code, 'unauthenticated');
    await follower.close();
  });

  test('a token of another tenant is not answered', async () => {
    const stranger = await openPlace(stack);
    const app = await createApp(stack, { Tenant: stranger.tenant, Scopes }, stranger.owner.token);
    const config = await relyOn(stack, app);
    const request = await ask(config, { scope, resource });
    const arrival = await startVisitor(stack, stranger.user.token).open(request.url);
    const { access_token: token } = await exchange(config, request, arrival, { resource });
    const follower = await follow();
    const question = questionAbout(token);
    assert.equal((await follower.ask(question)).Error?.Code, 'permission_denied');
    // No token has these claims.
    question.Token.Tenant = place.tenant;
    assert.equal((await follower.ask(question)).Error?.Code, 'unauthenticated');
    await follower.close();
  });
});

/** The question about a verified token. */
function questionAbout(token: string) {
  const claims = decodeJwt(token);
  const textOf = (name: string): string => {
    const claim = claims[name];
    return typeof claim === 'string' ? claim : '';
  };
  return {
    Token: {
      Subject: textOf('sub'),
      Client: textOf('client_id'),
      Session: textOf('sid'),
      Credential: textOf('credential'),
      Tenant: textOf('tenant'),
      Audience: [claims.aud ?? []].flat(),
      KeyID: decodeProtectedHeader(token).kid ?? '',
    },
  };
}
