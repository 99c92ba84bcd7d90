import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { login, signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { type App, ask, createApp, exchange, type Relying, relyOn, resource } from './stage.ts';
import { startVisitor } from './visitor.ts';

// Access tokens of apps as credentials of Bailiwick's own operations.

const groups = ['iam.groups.read', 'iam.groups.write'];

describeOne('an access token for Bailiwick itself', 'one process', (topology) => {
  let stack: Stack;
  let app: App;
  let config: Relying;
  let owner: { id: string; email: string; token: string };
  let tenant: string;
  let other: string;
  const scopesOf = (own: readonly string[]) => ({
    Scopes: ['openid', 'offline_access', ...own],
    Resources: [stack.url, resource],
  });
  before(async () => {
    stack = await sharedStack(topology);
    owner = await signUp(stack);
    [tenant, other] = await Promise.all([tenantFor(stack, owner.id), tenantFor(stack, owner.id)]);
    app = await createApp(stack, scopesOf(['account', ...groups, 'iam.botkeys.*']));
    config = await relyOn(stack, app);
  });
  after(() => stack?.stop());

  async function tokensFor(scope: string, by = config, session = owner.token, inTenant = tenant) {
    const over = { scope: `openid ${scope}`.trim(), resource: stack.url, tenant: inTenant };
    const request = await ask(by, over);
    const arrival = await startVisitor(stack, session).open(request.url);
    return exchange(by, request, arrival, { resource: stack.url });
  }
  const tokenFor = async (...parameters: Parameters<typeof tokensFor>): Promise<string> =>
    (await tokensFor(...parameters)).access_token;

  const list = (token: string, Tenant = tenant) => stack.call('Groups_List', { Tenant }, token);
  const save = (token: string) =>
    stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'tokens' } }, token);
  const account = (token: string) => stack.call('Account_Get', {}, token);
  const messageOf = ({ body }: { body: unknown }) => JSON.stringify(body);

  test('opens the operations of its scopes, and names the missing scope otherwise', async () => {
    const [reader, writer] = [await tokenFor('iam.groups.read'), await tokenFor(groups.join(' '))];
    assert.equal((await list(reader)).status, 200);
    const refused = await save(reader);
    assert.equal(refused.status, 403);
    assert.match(messageOf(refused), /the scope iam\.groups\.write/);
    assert.equal((await save(writer)).status, 200);
    const none = await tokenFor('');
    assert.equal((await list(none)).status, 403);
    // Of its own rights a caller learns those of its token.
    const { Permissions } = bodyOf(
      await stack.call('Access_ListPermissions', { Tenant: tenant }, reader),
    );
    assert.deepEqual(Permissions, ['iam.groups.read']);
  });

  test('does not get the stored answer of its session’s Idempotency-Key, nor of another app', async () => {
    const other = await relyOn(stack, await createApp(stack, scopesOf(groups)));
    const key = { 'idempotency-key': randomUUID() };
    const saveWith = (token: string) =>
      stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'keyed' } }, token, key);
    const isReplayed = (answer: Awaited<ReturnType<typeof saveWith>>) => {
      bodyOf(answer);
      return answer.headers.get('idempotency-replayed') === 'true';
    };
    const scope = groups.join(' ');
    const tokens = [owner.token, await tokenFor(scope), await tokenFor(scope, other)];
    for (const token of tokens) assert.equal(isReplayed(await saveWith(token)), false);
    for (const token of tokens) assert.equal(isReplayed(await saveWith(token)), true);
  });

  test('serves AuthZEN as it serves the operations', async () => {
    const evaluate = async (token: string, name: string) => {
      const response = await fetch(`${stack.url}/access/v1/evaluation`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          subject: { type: 'user', id: owner.id },
          resource: { type: 'tenant', id: tenant },
          action: { name },
          context: { tenant },
        }),
      });
      return { status: response.status, text: await response.text() };
    };
    const reader = await tokenFor('iam.groups.read');
    assert.equal((await evaluate(reader, groups[0] ?? '')).status, 200);
    assert.equal((await evaluate(`${reader}x`, groups[0] ?? '')).status, 401);
  });

  test('works in the tenant of its sign-in only', async () => {
    const token = await tokenFor(groups.join(' '));
    assert.equal((await list(token)).status, 200);
    assert.equal((await list(token, other)).status, 403);
    assert.equal(
      (await list(await tokenFor('iam.groups.read', config, owner.token, other), other)).status,
      200,
    );
  });

  test("opens the person's account with the scope account only, and no new credentials", async () => {
    const [allowed, narrow] = [await tokenFor('account'), await tokenFor(groups.join(' '))];
    assert.equal((await account(allowed)).status, 200);
    const refused = await account(narrow);
    assert.equal(refused.status, 403);
    assert.match(messageOf(refused), /the scope account/);
    for (const [operation, body] of [
      ['Users_Get', { UserID: owner.id }],
      ['Users_GetByEmail', { Email: owner.email }],
      ['Sessions_List', {}],
      ['TenantInvitations_ListByEmail', { Email: owner.email }],
      ['Tenants_Create', { Tenant: { Name: 'Mine', Slug: 'mine-by-token' } }],
    ] as const)
      assert.equal((await stack.call(operation, body, narrow)).status, 403, operation);
    // The token is for one organisation, and the account is not.
    const update = await stack.call('Account_Update', { User: { Name: 'Ada' } }, allowed);
    assert.equal(update.status, 403);
    assert.match(messageOf(update), /one organisation only/);
    // A code would become a session without the limits of the token.
    assert.equal((await stack.call('Account_IssueCode', {}, allowed)).status, 403);
    const Bot = recordIn(
      await stack.call('Bots_Save', { Bot: { Tenant: tenant, Name: 'CI' } }, owner.token),
      'Bot',
    ) as { ID: string };
    const key = { Tenant: tenant, Bot: Bot.ID, Name: 'CI' };
    const keys = await tokenFor('iam.botkeys.write');
    const answer = await stack.call('BotKeys_Create', key, keys);
    assert.equal(answer.status, 403);
    assert.match(messageOf(answer), /the scope account/);
  });

  test('of a person without an organisation changes the account, with the scope account', async () => {
    const ada = await signUp(stack);
    const token = await tokenFor('account', config, ada.token, '');
    bodyOf(await stack.call('Account_Update', { User: { Name: 'Ada' } }, token));
    assert.equal((recordIn(await account(token), 'User') as { Name: string }).Name, 'Ada');
    assert.equal((await stack.call('Account_IssueCode', {}, token)).status, 403);
    const none = await tokenFor('iam.groups.read', config, ada.token, '');
    assert.equal((await stack.call('Account_Update', { User: { Name: 'Eve' } }, none)).status, 403);
  });

  test('only an owner of the platform gives an app of the platform the scope account', async () => {
    const { status } = await stack.call(
      'Apps_Save',
      {
        App: {
          Tenant: tenant,
          Kind: 'spa',
          Name: 'Own',
          RedirectURIs: ['https://a.example.com/'],
          Scopes: ['openid', 'account'],
        },
      },
      owner.token,
    );
    assert.equal(status, 200);
    const wildcard = await relyOn(stack, await createApp(stack, scopesOf(['iam.*'])));
    assert.equal((await account(await tokenFor('account', wildcard))).status, 403);
  });

  test('is refused if anything about it is wrong', async () => {
    const tokens = await tokensFor(`offline_access ${groups.join(' ')} account`);
    const token = tokens.access_token;
    const [head = '', body = '', signature = ''] = token.split('.');
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
    const { keys } = (await (await fetch(`${stack.url}/oauth/jwks`)).json()) as { keys: object[] };
    const hmac = (key: object, header: object) => {
      const input = `${encode({ ...read(head), ...header })}.${body}`;
      return `${input}.${createHmac('sha256', JSON.stringify(key)).update(input).digest('base64url')}`;
    };
    const elsewhere = await ask(config, { scope: 'openid iam.groups.read', resource, tenant });
    const arrival = await startVisitor(stack, owner.token).open(elsewhere.url);
    const foreign = await exchange(config, elsewhere, arrival, { resource });
    const wrong: Record<string, string> = {
      'another audience': foreign.access_token,
      'an ID token': tokens.id_token ?? '',
      'a refresh token': tokens.refresh_token ?? '',
      'alg none': `${encode({ ...read(head), alg: 'none' })}.${body}.`,
      'alg none with a signature': `${encode({ ...read(head), alg: 'none' })}.${body}.${signature}`,
      'changed claims': `${head}.${encode({ ...read(body), tenant: other })}.${signature}`,
      'a changed header': `${encode({ ...read(head), kid: 'unknown' })}.${body}.${signature}`,
      'no signature': `${head}.${body}.`,
      ...Object.fromEntries(
        keys.map((key, at) => [`HS256 with key ${at}`, hmac(key, { alg: 'HS256' })]),
      ),
    };
    for (const [what, one] of Object.entries(wrong)) {
      assert.equal((await list(one)).status, 401, what);
      assert.equal((await account(one)).status, 401, what);
    }
    assert.equal((await list(token)).status, 200);
    // As a cookie it is no credential.
    const cookie = await fetch(`${stack.url}/Account_Get`, {
      method: 'POST',
      headers: {
        cookie: `bailiwick_session=${token}`,
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
      },
      body: '{}',
    });
    assert.equal(cookie.status, 401);
    const dpop = await fetch(`${stack.url}/Account_Get`, {
      method: 'POST',
      headers: { authorization: `DPoP ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(dpop.status, 401);
  });

  test('ends at once with its session, its user and its app', async () => {
    const person = await signUp(stack);
    const own = await tenantFor(stack, person.id);
    const other = await createApp(stack, scopesOf(groups));
    const by = await relyOn(stack, other);
    const session = async () => String(bodyOf(await login(stack, person.email))['Token']);
    const begin = async () => {
      const opened = await session();
      const token = await tokenFor('iam.groups.read', by, opened, own);
      // It is in the gateway's cache now.
      assert.equal((await list(token, own)).status, 200);
      return { opened, token };
    };
    const assertEnded = async (token: string) => {
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async () => (await list(token, own)).status),
      );
      assert.deepEqual(new Set(statuses), new Set([401]));
    };
    const first = await begin();
    bodyOf(await stack.call('Account_Logout', {}, first.opened));
    await assertEnded(first.token);

    const second = await begin();
    const App = { ID: other.ID, Name: 'Reports' };
    bodyOf(await stack.call('Apps_Save', { App: { ...App, Active: false } }, stack.platformKey));
    await assertEnded(second.token);
    bodyOf(await stack.call('Apps_Save', { App: { ...App, Active: true } }, stack.platformKey));
    assert.equal((await list(second.token, own)).status, 200);
    bodyOf(
      await stack.call('Apps_Save', { App: { ...App, Scopes: ['openid'] } }, stack.platformKey),
    );
    assert.equal((await list(second.token, own)).status, 403);
    bodyOf(
      await stack.call(
        'Apps_Save',
        { App: { ...App, Scopes: ['openid', ...groups], Resources: [resource] } },
        stack.platformKey,
      ),
    );
    await assertEnded(second.token);
    bodyOf(
      await stack.call('Apps_Save', { App: { ...App, Resources: [stack.url] } }, stack.platformKey),
    );
    assert.equal((await list(second.token, own)).status, 200);
    bodyOf(await stack.call('Users_Disable', { UserID: person.id }, stack.platformKey));
    await assertEnded(second.token);
    bodyOf(await stack.call('Users_Enable', { UserID: person.id }, stack.platformKey));

    const third = await begin();
    bodyOf(await stack.call('Apps_Delete', { ID: other.ID }, stack.platformKey));
    await assertEnded(third.token);
  });

  test("of a bot works within the bot's key, until the key ends", async () => {
    const bot = recordIn(
      await stack.call('Bots_Save', { Bot: { Tenant: tenant, Name: 'Builds' } }, owner.token),
      'Bot',
    ) as { ID: string };
    const Grant = { Tenant: tenant, Bot: bot.ID, Role: 'admin' };
    bodyOf(await stack.call('BotGrants_Add', { Grant }, owner.token));
    const newKey = bodyOf(
      await stack.call(
        'BotKeys_Create',
        { Tenant: tenant, Bot: bot.ID, Name: 'CI', Permissions: ['iam.groups.*'] },
        owner.token,
      ),
    ) as { Key: { ID: string }; Secret: string };
    const response = await fetch(`${stack.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: bot.ID,
        client_secret: newKey.Secret,
        scope: 'iam.groups.read',
      }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    assert.equal((await list(token)).status, 200);
    assert.equal((await list(token, other)).status, 403);
    const refused = await save(token);
    assert.equal(refused.status, 403);
    assert.match(messageOf(refused), /the scope iam\.groups\.write/);
    assert.equal((await account(token)).status, 403);
    const ended = { Tenant: tenant, ID: newKey.Key.ID, ExpiresAt: new Date().toISOString() };
    bodyOf(await stack.call('BotKeys_SetExpiration', ended, owner.token));
    assert.equal((await list(token)).status, 401);
  });

  test('answers 200 calls at once, each within its own scopes', async () => {
    const [reader, writer] = [await tokenFor('iam.groups.read'), await tokenFor(groups.join(' '))];
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const isWriter = at % 2 === 0;
        const { status } = await save(isWriter ? writer : reader);
        return isWriter ? status === 200 : status === 403;
      }),
    );
    assert.ok(answers.every(Boolean));
    // The session itself is not narrowed by the tokens that came from it.
    assert.equal((await stack.call('Groups_List', { Tenant: other }, owner.token)).status, 200);
  });
});
