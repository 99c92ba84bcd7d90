import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { bodyOf, readList } from '../../support/answers.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { login, mailTo, password, signUp, tenantFor, tokenIn } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { type LogoutReceiver, startLogoutReceiver, verifyLogout } from './logout-receiver.ts';
import { createApp, type Relying, relyOn, signInWith } from './stage.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type Attempt = { Endpoint: string; Status: string; StatusCode: number; Error: string };

/** A person who is signed in to an app. */
type SignedIn = Person & {
  config: Relying;
  sid: string;
  idToken: string;
  visitor: Awaited<ReturnType<typeof signInWith>>['visitor'];
  app: string;
};

describeOne('back-channel logout', 'one process', (topology) => {
  let stack: Stack;
  let receiver: LogoutReceiver;
  let owner: Person;
  let Tenant: string;
  before(async () => {
    [stack, receiver] = await Promise.all([sharedStack(topology), startLogoutReceiver()]);
    owner = await signUp(stack);
    Tenant = await tenantFor(stack, owner.id);
  });
  after(async () => {
    await receiver?.stop();
    await stack?.stop();
  });

  const platform = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, stack.platformKey));
  const freshSession = async (email: string) => String(bodyOf(await login(stack, email))['Token']);
  const newApp = (path: string, fields: object = {}) =>
    createApp(stack, { BackchannelLogoutURI: receiver.url(path), ...fields });

  async function signedIn(path: string, fields: object = {}): Promise<SignedIn> {
    const [person, app] = await Promise.all([signUp(stack), newApp(path, fields)]);
    return enterApp(person, app);
  }
  async function enterApp(
    person: Person,
    app: Awaited<ReturnType<typeof createApp>>,
  ): Promise<SignedIn> {
    const config = await relyOn(stack, app);
    const { tokens, visitor } = await signInWith(stack, config, person.token);
    const { sid } = tokens.claims() as unknown as { sid: string };
    return { ...person, config, sid, idToken: tokens.id_token ?? '', visitor, app: app.ID };
  }

  /** Each way in which a session ends. */
  const ways: Record<string, (one: SignedIn) => Promise<unknown>> = {
    Account_Logout: async ({ token }) => bodyOf(await stack.call('Account_Logout', {}, token)),
    Sessions_Revoke: async ({ email, sid }) =>
      bodyOf(await stack.call('Sessions_Revoke', { ID: sid }, await freshSession(email))),
    Sessions_RevokeAll: async ({ email }) =>
      bodyOf(await stack.call('Sessions_RevokeAll', {}, await freshSession(email))),
    'the sign-out of an app': async ({ config, idToken, visitor }) =>
      visitor.sendForm(
        await visitor.open(client.buildEndSessionUrl(config, { id_token_hint: idToken })),
      ),
    Account_ChangePassword: async ({ email }) =>
      bodyOf(
        await stack.call(
          'Account_ChangePassword',
          { Current: password, Password: `${password} changed` },
          await freshSession(email),
        ),
      ),
    Account_ResetPassword: async ({ email }) => {
      bodyOf(await stack.call('Account_RequestPasswordReset', { Email: email }));
      const Token = tokenIn(await mailTo(stack, email, 2));
      bodyOf(await stack.call('Account_ResetPassword', { Token, Password: `${password} reset` }));
    },
    Users_Disable: ({ id }) => platform('Users_Disable', { UserID: id }),
    Users_Delete: ({ id }) => platform('Users_Delete', { UserID: id }),
    AccountApps_Delete: async ({ token, app }) =>
      bodyOf(await stack.call('AccountApps_Delete', { ID: app }, token)),
  };

  test('each way in which a session ends calls the app once, with a token that it can verify', async () => {
    await Promise.all(
      Object.entries(ways).map(async ([name, end], index) => {
        const path = `/way-${index}`;
        const one = await signedIn(path);
        assert.deepEqual(receiver.at(path), [], name);
        await end(one);
        const [call] = await receiver.calls(path);
        assert.ok(call);
        const { sub, sid } = await verifyLogout(stack, one.app, call);
        assert.deepEqual([sub, sid], [one.id, one.sid], name);
        assert.equal(await countOf(stack, 'sso.app_sign_in where session_id = $1', [one.sid]), 0);
      }),
    );
    for (const index of Object.keys(ways).keys())
      assert.equal(receiver.at(`/way-${index}`).length, 1);
  });

  test('a member who is removed or disabled is signed out of the apps of the tenant, and the session goes on', async () => {
    for (const operation of ['TenantMembers_Remove', 'TenantMembers_Disable']) {
      const path = `/${operation}`;
      const person = await signUp(stack);
      const membership = { Tenant, UserID: person.id };
      await platform('TenantMembers_Add', membership);
      bodyOf(await stack.call('TenantMembers_Accept', { Tenant }, person.token));
      const theirs = await createApp(
        stack,
        { Tenant, BackchannelLogoutURI: receiver.url(path) },
        owner.token,
      );
      const one = await enterApp(person, theirs);
      bodyOf(await stack.call(operation, membership, owner.token));
      const [call] = await receiver.calls(path);
      assert.ok(call);
      assert.equal((await verifyLogout(stack, theirs.ID, call)).sid, one.sid);
      assert.equal((await stack.call('Account_Get', {}, person.token)).status, 200);
    }
  });

  test('each app of the session is called, and no other session, app or inactive app', async () => {
    const one = await signedIn('/first');
    const second = await newApp('/second');
    const unused = await newApp('/unused');
    const inactive = await newApp('/inactive');
    await enterApp(one, second);
    await enterApp(one, inactive);
    const other = await freshSession(one.email);
    const otherApp = await newApp('/other-session');
    await enterApp({ ...one, token: other }, otherApp);
    await platform('Apps_Save', { App: { ID: inactive.ID, Name: 'Off', Active: false } });
    bodyOf(await stack.call('Account_Logout', {}, one.token));
    await Promise.all([receiver.calls('/first'), receiver.calls('/second')]);
    const [call] = receiver.at('/second');
    assert.ok(call);
    // A token for one app is none for another.
    await assert.rejects(verifyLogout(stack, unused.ID, call));
    await verifyLogout(stack, second.ID, call);
    // The same session signs out of a second app after the others, which orders the calls.
    bodyOf(await stack.call('Account_Logout', {}, other));
    await receiver.calls('/other-session');
    for (const path of ['/unused', '/inactive']) assert.deepEqual(receiver.at(path), [], path);
    for (const path of ['/first', '/second', '/other-session'])
      assert.equal(receiver.at(path).length, 1, path);
  });

  test('an app that fails is called again with a fresh token, and AppLogouts_ListAttempts shows it', async () => {
    receiver.answer('/failing', [500, 503]);
    receiver.answer('/refusing', [400]);
    const [failing, refusing] = await Promise.all([signedIn('/failing'), signedIn('/refusing')]);
    for (const { token } of [failing, refusing])
      bodyOf(await stack.call('Account_Logout', {}, token));
    const calls = await receiver.calls('/failing', 3);
    const tokens = await Promise.all(calls.map((call) => verifyLogout(stack, failing.app, call)));
    assert.equal(new Set(tokens.map(({ jti }) => jti)).size, 3);
    const attemptsOf = (App: string, count: number) =>
      eventually('the attempts', async () => {
        const list = await readList<Attempt>(
          stack,
          'AppLogouts_ListAttempts',
          { App },
          stack.platformKey,
        );
        return list.items.length === count && list.items;
      });
    const statuses = (await attemptsOf(failing.app, 3)).map(
      ({ Status, StatusCode, Endpoint }) => [Status, StatusCode, Endpoint] as const,
    );
    assert.deepEqual(statuses, [
      ['delivered', 200, failing.app],
      ['retry', 503, failing.app],
      ['retry', 500, failing.app],
    ]);
    const [refused] = await attemptsOf(refusing.app, 1);
    assert.deepEqual([refused?.Status, refused?.StatusCode], ['failed', 400]);
    const foreign = await readList<Attempt>(
      stack,
      'AppLogouts_ListAttempts',
      { Tenant },
      owner.token,
    );
    assert.ok(foreign.items.every(({ Endpoint }) => Endpoint !== failing.app));
  });

  test('no private address is called, whatever the app has stored', async () => {
    const refused = await stack.call(
      'Apps_Save',
      {
        App: {
          Name: 'Inside',
          Kind: 'web',
          RedirectURIs: ['https://app.example.test/callback'],
          BackchannelLogoutURI: 'https://10.0.0.1/logout',
        },
      },
      stack.platformKey,
    );
    assert.equal(refused.status, 400);
    const one = await signedIn('/moved');
    await rowsOf(stack, 'update sso.app set backchannel_logout_uri = $2 where id = $1', [
      one.app,
      'https://10.0.0.1/logout',
    ]);
    bodyOf(await stack.call('Account_Logout', {}, one.token));
    await eventually('the refused attempt', async () => {
      const { items } = await readList<Attempt>(
        stack,
        'AppLogouts_ListAttempts',
        { App: one.app },
        stack.platformKey,
      );
      return items[0]?.Error === 'blocked_address';
    });
    assert.deepEqual(receiver.at('/moved'), []);
  });

  test('neither the database nor the log holds a logout token', async () => {
    const one = await signedIn('/stored');
    receiver.answer('/stored', [500]);
    bodyOf(await stack.call('Account_Logout', {}, one.token));
    const [call] = await receiver.calls('/stored', 2);
    const signature = call?.token.split('.')[2] ?? '';
    assert.ok(signature.length > 100);
    for (const table of ['sso.outbox', 'notifications.delivery_attempt', 'access.audit_entry'])
      assert.equal(
        await countOf(stack, `${table} t where t::text like '%' || $1 || '%'`, [signature]),
        0,
      );
    assert.ok(!stack.logOf('notifications').includes(signature));
  });
});
