import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { forgetRights } from '@bailiwick/deploy/admin.ts';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { createBot, createKey, grantBotInStore } from '../../support/bots.ts';
import { describeBoth, type Stack } from '../../support/harness.ts';
import { inviter, type Person } from '../../support/invitations.ts';
import { password, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';

// A tenant's limits for the sessions used in it: a shorter lifetime, and a recent sign-in for
// sensitive changes.

type Session = { token: string; id: string };

describeBoth('what a tenant demands of sessions', (topology) => {
  let stack: Stack;
  let use: ReturnType<typeof inviter>;
  let ada: Person;
  before(async () => {
    stack = await sharedStack(topology);
    use = inviter(stack);
    ada = await signUp(stack);
  });
  after(() => stack?.stop());

  async function signIn({ email }: { email: string }): Promise<Session> {
    const { Token, Session } = bodyOf(
      await stack.call('Account_Login', { Email: email, Password: password }),
    );
    return { token: String(Token), id: (Session as { ID: string }).ID };
  }
  const set = (ID: string, Settings: object, token = stack.platformKey) =>
    stack.call('Tenants_Update', { Tenant: { ID, Settings } }, token);
  async function tenantThat(settings: object, owner = ada): Promise<string> {
    const Tenant = await use.tenantOf(owner);
    bodyOf(await set(Tenant, settings));
    return Tenant;
  }
  const groups = (Tenant: string, { token }: Pick<Session, 'token'>) =>
    stack.call('Groups_List', { Tenant }, token);
  const self = ({ token }: Session) => stack.call('Account_Get', {}, token);
  const ended = async (session: Session, Tenant?: string) =>
    assertRefused(
      await (Tenant === undefined ? self(session) : groups(Tenant, session)),
      401,
      'unauthenticated',
    );
  /**
   * Makes a session look this many minutes older. Only before its first call, so that no gateway
   * has cached it.
   */
  const age = (
    { id }: Session,
    minutes: number,
    column: 'created_at' | 'last_seen_at' = 'created_at',
  ) =>
    rowsOf(
      stack,
      `update identity.session set ${column} = ${column} - $2 * interval '1 minute' where id = $1`,
      [id, minutes],
    );
  /** Waits until no process caches a session from before a change in SQL. */
  const forgotten = () => forgetRights({ DATABASE_URL: stack.databaseUrl });

  test('a session that is too old for a tenant ends when it is used there, and works elsewhere until then', async () => {
    const [strict, other] = [await tenantThat({ SessionMaxMinutes: 60 }), await use.tenantOf(ada)];
    const [old, young] = [await signIn(ada), await signIn(ada)];
    await age(old, 61);
    await age(young, 59);
    bodyOf(await groups(other, old));
    const isActive = async (Tenant: string) =>
      bodyOf(
        await stack.call('Tokens_Introspect', { Token: old.token, Tenant }, stack.platformKey),
      )['Active'];
    assert.deepEqual([await isActive(strict), await isActive(other)], [false, true]);
    await ended(old, strict);
    await ended(old, other);
    await ended(old);
    for (const tenant of [strict, other]) bodyOf(await groups(tenant, young));
    const listed = bodyOf(await stack.call('Sessions_List', {}, young.token)) as unknown as {
      Page: { Items: Array<{ ID: string; ExpiresAt: string }> };
    };
    const own = listed.Page.Items.find(({ ID }) => ID === young.id);
    assert.ok(!listed.Page.Items.some(({ ID }) => ID === old.id));
    const minutesLeft = (Date.parse(own?.ExpiresAt ?? '') - Date.now()) / 60_000;
    assert.ok(minutesLeft > 0 && minutesLeft <= 1, `${minutesLeft} minutes`);
  });

  test('a session used in the tenant ends after the tenant’s idle time, and one not used there stays', async () => {
    const strict = await tenantThat({ SessionIdleMinutes: 30 });
    const [used, unused, busy] = [await signIn(ada), await signIn(ada), await signIn(ada)];
    for (const session of [used, busy]) bodyOf(await groups(strict, session));
    await age(used, 31, 'last_seen_at');
    await age(unused, 31, 'last_seen_at');
    await age(busy, 29, 'last_seen_at');
    await forgotten();
    await ended(used);
    bodyOf(await self(unused));
    bodyOf(await groups(strict, busy));
    const [{ fresh } = { fresh: false }] = await rowsOf<{ fresh: boolean }>(
      stack,
      "select last_seen_at > now() - interval '1 minute' as fresh from identity.session where id = $1",
      [busy.id],
    );
    assert.ok(fresh, 'a call counts as activity');
  });

  test('a session with continuous calls is never idle, with any idle time', async () => {
    const strict = await tenantThat({ SessionIdleMinutes: 1 });
    const session = await signIn(ada);
    bodyOf(await groups(strict, session));
    for (let round = 0; round < 3; round++) {
      await age(session, 0.75, 'last_seen_at');
      await forgotten();
      bodyOf(await groups(strict, session));
    }
  });

  test('the shortest limit of all tenants counts: a stricter one at once, a looser one for new sessions', async () => {
    const [long, short] = [
      await tenantThat({ SessionMaxMinutes: 600 }),
      await tenantThat({ SessionMaxMinutes: 300 }),
    ];
    const session = await signIn(ada);
    await age(session, 240);
    for (const tenant of [short, long]) bodyOf(await groups(tenant, session));
    bodyOf(await set(short, { SessionMaxMinutes: 200 }));
    await ended(session, short);
    const later = await signIn(ada);
    bodyOf(await groups(short, later));
    bodyOf(await set(short, { SessionMaxMinutes: 0 }));
    await age(later, 201);
    await forgotten();
    bodyOf(await self(later)); // the expiry was fixed at that use: 200 minutes after the session began
    const [{ minutes } = { minutes: 0 }] = await rowsOf<{ minutes: number }>(
      stack,
      'select extract(epoch from expires_at - created_at) / 60 - 201 as minutes from identity.session where id = $1',
      [later.id],
    );
    assert.ok(Math.abs(minutes - 200) < 0.1, String(minutes));
    const newest = await signIn(ada);
    await age(newest, 201);
    bodyOf(await groups(short, newest));
  });

  test('a tenant’s limits apply to its members’ sessions only, not to strangers or keys', async () => {
    const strict = await tenantThat({
      SessionMaxMinutes: 60,
      SessionIdleMinutes: 5,
      RecentLogin: true,
    });
    const stranger = await signIn(await signUp(stack));
    await age(stranger, 100);
    assertRefused(await groups(strict, stranger), 403, 'permission_denied', ['permission denied']);
    bodyOf(await self(stranger));
    const bot = await createBot(stack, strict, stack.platformKey);
    await grantBotInStore(stack, bot, 'owner');
    const { Secret } = await createKey(stack, bot, stack.platformKey);
    bodyOf(await groups(strict, { token: Secret }));
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant: strict, Slug: 'reader', Permissions: ['app.x.read'] } },
        Secret,
      ),
    );
    bodyOf(
      await stack.call(
        'BotKeys_Rotate',
        { Tenant: strict, ID: (await createKey(stack, bot, stack.platformKey)).Key.ID },
        Secret,
      ),
    );
  });

  test('with RecentLogin, changes of keys, providers, domains and owners need a recent sign-in', async () => {
    const strict = await tenantThat({ RecentLogin: true });
    const [bob, bot] = [await signUp(stack), await createBot(stack, strict, stack.platformKey)];
    bodyOf(
      await stack.call('TenantMembers_Add', { Tenant: strict, UserID: bob.id }, stack.platformKey),
    );
    const { Key } = await createKey(stack, bot, stack.platformKey);
    const [stale, recent] = [await signIn(ada), await signIn(ada)];
    await age(stale, 16);
    await age(recent, 14);
    const owner = { Grant: { Tenant: strict, UserID: bob.id, Role: 'owner' } };
    const sensitive: Array<[string, object]> = [
      ['BotKeys_Create', { Tenant: strict, Bot: bot.ID, Name: 'another' }],
      ['BotKeys_Rotate', { Tenant: strict, ID: Key.ID }],
      [
        'BotKeys_SetExpiration',
        { Tenant: strict, ID: Key.ID, ExpiresAt: new Date(Date.now() + 3_600_000).toISOString() },
      ],
      ['Domain_Create', { Tenant: strict, Name: `${bot.ID.slice(4)}.example` }],
      [
        'Sso_SaveProvider',
        {
          Provider: {
            Tenant: strict,
            Kind: 'oidc',
            Name: 'idp',
            Issuer: 'https://127.0.0.1:1',
            ClientID: 'x',
            TokenAuthMethod: 'none',
          },
        },
      ],
      ['Sso_DeleteProvider', { Tenant: strict, ID: createId('sso') }],
      ['Apps_Save', { App: { Tenant: strict, Kind: 'service', Name: 'a' } }],
      ['Apps_RotateSecret', { Tenant: strict, ID: createId('app') }],
      ['Grants_Add', owner],
      [
        'TenantInvitations_Create',
        { Tenant: strict, Email: 'guest@example.com', Roles: ['owner'] },
      ],
    ];
    for (const [operation, body] of sensitive) {
      const answer = await stack.call(operation, body, stale.token);
      assert.deepEqual(
        [answer.status, answer.body.Code, answer.body.Messages],
        [403, 'permission_denied', ['recent login required']],
        operation,
      );
    }
    // Less sensitive changes still work.
    bodyOf(await groups(strict, stale));
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { Tenant: strict, UserID: bob.id, Role: 'admin' } },
        stale.token,
      ),
    );
    bodyOf(
      await stack.call(
        'BotKeys_Create',
        { Tenant: strict, Bot: bot.ID, Name: 'another' },
        recent.token,
      ),
    );
    bodyOf(await stack.call('Grants_Add', owner, recent.token));
    for (const operation of ['Grants_Remove', 'TenantMembers_Remove']) {
      const body = operation === 'Grants_Remove' ? owner : { Tenant: strict, UserID: bob.id };
      assertRefused(await stack.call(operation, body, stale.token), 403, 'permission_denied', [
        'recent login required',
      ]);
      bodyOf(await stack.call(operation, body, recent.token));
      if (operation === 'Grants_Remove')
        bodyOf(await stack.call('Grants_Add', owner, recent.token));
    }
    const free = await use.tenantOf(ada);
    bodyOf(
      await createBot(stack, free, stale.token).then((own) =>
        stack.call('BotKeys_Create', { Tenant: free, Bot: own.ID, Name: 'x' }, stale.token),
      ),
    );
  });

  test('Tenants_Update switches RecentLogin off only after a recent sign-in', async () => {
    const strict = await tenantThat({ RecentLogin: true });
    const [stale, recent] = [await signIn(ada), await signIn(ada)];
    await age(stale, 16);
    assertRefused(
      await set(strict, { RecentLogin: false }, stale.token),
      403,
      'permission_denied',
      ['recent login required'],
    );
    bodyOf(await set(strict, { MaxBotKeyDays: 30, RecentLogin: true }, stale.token));
    const { Tenant } = bodyOf(
      await set(strict, { RecentLogin: false }, recent.token),
    ) as unknown as { Tenant: { Settings: { RecentLogin: boolean } } };
    assert.equal(Tenant.Settings.RecentLogin, false);
    bodyOf(await set(strict, { RecentLogin: true }, stale.token));
    assertRefused(
      await set(strict, { RecentLogin: false }, stale.token),
      403,
      'permission_denied',
      ['recent login required'],
    );
  });
});
