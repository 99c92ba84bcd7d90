import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { mailTo } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { addTotp, totp } from '../../support/totp.ts';
import { exampleOf, type Person, supportCalls } from './support-calls.ts';

const closed = 'this operation is not available in a support session';

// An operator of the platform acts as a user, for a stated reason and time.
describeOne('support access', 'one process', (topology) => {
  let stack: Stack;
  let operator: Person;
  let owner: Person & { tenant: string };
  const { start, started, grant, newOperator, newOwner } = supportCalls(() => stack);
  before(async () => {
    stack = await sharedStack(topology);
    operator = await newOperator();
    owner = await newOwner();
  });
  after(() => stack?.stop());
  const ask = (operation: string, body: object, token: string) =>
    stack.call(operation, body, token);
  const isOpen = async (token: string) => (await ask('Account_Get', {}, token)).status === 200;

  test('Support_Start opens a session of the user that names the operator and ends after the stated time', async () => {
    const began = Date.now();
    const { Token, Session, User } = await started(operator, owner, { Minutes: 20 });
    assert.match(Token, /^bwkp_/);
    assert.deepEqual(
      [Session.UserID, Session.Operator, Session.Reason, User.Email],
      [owner.id, operator.id, 'Ticket 4711', owner.email],
    );
    const minutes = (Date.parse(Session.ExpiresAt) - began) / 60_000;
    assert.ok(minutes > 19.9 && minutes < 20.5, Session.ExpiresAt);
    const { User: account } = bodyOf(await ask('Account_Get', {}, Token)) as {
      User: { ID: string };
    };
    assert.equal(account.ID, owner.id);
    bodyOf(await ask('Groups_ListByTenant', { Tenant: owner.tenant }, Token));
    // The user sees it among the own sessions, and the operator can ask for it.
    const { Page } = bodyOf(await ask('Sessions_List', {}, owner.token)) as {
      Page: { Items: Array<{ ID: string; AuthMethod: string; Operator: string }> };
    };
    const listed = Page.Items.find(({ ID }) => ID === Session.ID);
    assert.deepEqual([listed?.AuthMethod, listed?.Operator], ['support', operator.id]);
    const current = bodyOf(await ask('Support_Get', {}, operator.token)) as { Session: object };
    assert.equal((current.Session as { ID: string }).ID, Session.ID);
    assert.deepEqual(bodyOf(await ask('Support_Get', {}, owner.token)), {
      Session: null,
      User: null,
    });
    const defaults = await started(operator, owner);
    const minutesLeft = (Date.parse(defaults.Session.ExpiresAt) - Date.now()) / 60_000;
    assert.ok(minutesLeft > 14 && minutesLeft <= 15, 'a quarter of an hour without Minutes');
    assert.equal(
      await countOf(stack, 'identity.session where id = $1', [Session.ID]),
      0,
      'a start ends the earlier support session',
    );
    assert.equal(await isOpen(Token), false);
  });

  test('the user of support access gets a mail with the operator, the reason and the end', async () => {
    const user = await newOwner();
    const Reason = 'Ticket 4712: see https://evil.example/x\nand more';
    await started(operator, user, { Reason });
    const mail = await mailTo(stack, user.email, 2);
    assert.match(mail.Subject, /acting as you/);
    assert.match(mail.Text, /Ticket 4712: see https evil example x and more/);
    assert.match(mail.Text, /until .*\d{1,2}:\d\d/);
    assert.doesNotMatch(mail.Text, /bwk[a-z]_/);
  });

  test('a support session opens only the operations that say so', async () => {
    const { Token } = await started(operator, owner);
    for (const operation of operations.values()) {
      const { name, credential, supportSession } = operation;
      if (!operation.public || credential === 'none' || supportSession) continue;
      const answer = await ask(name, exampleOf(operation), Token);
      assertRefused(answer, 403, 'permission_denied', [closed]);
    }
    assert.equal(await isOpen(Token), true, 'none of these calls ended it');
    const opened = [...operations.values()].filter(({ supportSession }) => supportSession);
    assert.ok(opened.length > 50);
    for (const { name, accessToken, recentLogin, credential } of opened) {
      assert.ok(!recentLogin && accessToken !== 'refused' && accessToken !== 'account', name);
      assert.ok(credential === 'session' || credential === 'any', name);
      assert.doesNotMatch(
        name,
        /Key|Secret|Password|Passkey|Factor|Identit|Recovery|_Create|_Add|_Save/,
        name,
      );
    }
  });

  test('audit entries and events of a support session name the user and the operator', async () => {
    const { Token, Session } = await started(operator, owner);
    bodyOf(await ask('Account_Update', { User: { GivenName: 'Grace' } }, Token));
    assertRefused(await ask('Sessions_RevokeAll', {}, Token), 403, 'permission_denied');
    const find = async (action: string, tenant: string) => {
      const filter = { TargetIDs: [operator.id], Actions: [action] };
      const { Page } = bodyOf(
        await ask('Audit_List', { Tenant: tenant, Filter: filter }, stack.platformKey),
      ) as { Page: { Items: Array<{ ActorID: string; CredentialID: string; Targets: object[] }> } };
      return Page.Items.find(({ CredentialID }) => CredentialID === Session.ID);
    };
    for (const action of ['user.updated', 'access.denied']) {
      const entry = await eventually(`the entry ${action}`, () => find(action, ''));
      assert.equal(entry.ActorID, owner.id);
      assert.deepEqual(entry.Targets.at(-1), { Type: 'operator', ID: operator.id, Name: '' });
    }
    const { Page } = bodyOf(
      await ask(
        'Audit_List',
        { Tenant: owner.tenant, Filter: { Actions: ['session.support_started'] } },
        owner.token,
      ),
    ) as { Page: { Items: Array<{ ActorID: string; Changes: object[] }> } };
    assert.equal(Page.Items[0]?.ActorID, operator.id);
    assert.deepEqual(Page.Items[0]?.Changes, [{ Field: 'Reason', Old: '', New: 'Ticket 4711' }]);
    const [event] = await rowsOf<{ event: string }>(
      stack,
      `select event from identity.outbox where type = 'user.updated' and audit like '%' || $1 || '%'`,
      [Session.ID],
    );
    const { actor } = JSON.parse(event?.event ?? '{}') as { actor: object };
    assert.deepEqual(actor, { type: 'user', id: owner.id, operator: operator.id });
  });

  test('a support session holds no permission on the platform, even if its user does', async () => {
    const colleague = await newOperator();
    const { Token } = await started(operator, colleague);
    for (const [operation, body] of [
      ['Users_List', {}],
      ['Tenants_Get', { Tenant: owner.tenant }],
      ['Groups_ListByTenant', { Tenant: owner.tenant }],
      ['Users_Get', { UserID: owner.id }],
    ] as const)
      assertRefused(await ask(operation, body, Token), 403, 'permission_denied');
    const { Permissions } = bodyOf(
      await ask('Access_ListPermissions', { Tenant: owner.tenant }, Token),
    ) as { Permissions: string[] };
    assert.deepEqual(Permissions, []);
    assertRefused(await start(Token, owner.id), 403, 'permission_denied', [closed]);
  });

  test('Support_Start needs the permission on the platform, and refuses users with more of them', async () => {
    const [stranger, reader] = [await newOwner(), await newOperator('platform-support')];
    for (const { token } of [stranger, reader, owner])
      assertRefused(await start(token, operator.id), 403, 'permission_denied');
    assertRefused(await start(stack.platformKey, owner.id), 403, 'permission_denied');
    assertRefused(await start(operator.token, operator.id), 400, 'failed_precondition');
    assertRefused(await start(operator.token, 'usr_01jqz8v7k4e6w9x2m5n3p1r0ab'), 400, 'not_found');
    for (const body of [
      { Reason: '' },
      { Reason: ' ' },
      { Reason: 'x'.repeat(501) },
      { Minutes: 0 },
      { Minutes: 61 },
    ])
      assertRefused(await start(operator.token, owner.id, body), 400, 'invalid_argument');
    bodyOf(await ask('Users_Disable', { UserID: stranger.id }, stack.platformKey));
    assertRefused(await start(operator.token, stranger.id), 400, 'failed_precondition');
  });

  test('Support_Start needs a recent sign-in, with the second factor that the operator has', async () => {
    const careful = await newOperator();
    const { secret } = await addTotp(stack, careful.token);
    const { Challenge } = bodyOf(
      await ask('Account_Login', { Email: careful.email, Password: 'correct horse battery' }, ''),
    );
    const { Token } = bodyOf(
      await stack.call('Account_CompleteLogin', { Challenge, Totp: totp(secret, 1) }),
    ) as { Token: string };
    bodyOf(await start(Token, owner.id));
    const old =
      "update identity.session set created_at = now() - interval '20 minutes', proven_at = null where user_id = $1";
    await rowsOf(stack, old, [careful.id]);
    assertRefused(await start(Token, owner.id), 403, 'permission_denied', [
      'recent login required',
    ]);
    const unproven = await newOperator();
    await addTotp(stack, unproven.token);
    await rowsOf(stack, "update identity.session set further_methods = '{}' where user_id = $1", [
      unproven.id,
    ]);
    assertRefused(await start(unproven.token, owner.id), 403, 'permission_denied');
  });

  test('Support_End is recorded for the platform and the tenants of the user, once', async () => {
    const [by, user] = [await newOperator(), await newOwner()];
    await started(by, user);
    for (const _ of [1, 2]) bodyOf(await ask('Support_End', {}, by.token));
    const ended = await rowsOf<{ tenant: string }>(
      stack,
      `select for_tenant as tenant from identity.outbox where type = 'session.support_ended' and audit like '%' || $1 || '%'`,
      [by.id],
    );
    assert.deepEqual(ended.map(({ tenant }) => tenant).toSorted(), ['', user.tenant]);
  });

  test('of 30 starts at once, one support session is left, and it is the only one that works', async () => {
    const by = await newOperator();
    const people = await Promise.all([newOwner(), newOwner()]);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => start(by.token, people[index % 2]?.id ?? '')),
    );
    const tokens = answers.map((answer) => String(bodyOf(answer)['Token']));
    assert.equal(await countOf(stack, 'identity.session where operator = $1', [by.id]), 1);
    const open = await Promise.all(tokens.map(isOpen));
    assert.equal(open.filter(Boolean).length, 1);
  });

  test('a support session is no session for apps: introspection, codes and single sign-on refuse it', async () => {
    const { Token } = await started(operator, owner);
    const request = { Token, Tenant: owner.tenant };
    const { Active } = bodyOf(await ask('Tokens_Introspect', request, stack.platformKey));
    assert.equal(Active, false);
    assertRefused(await ask('Account_IssueCode', {}, Token), 403, 'permission_denied', [closed]);
    const page = await fetch(`${stack.url}/oauth/authorize?client_id=none`, {
      headers: { cookie: `bailiwick_session=${Token}` },
      redirect: 'manual',
    });
    assert.notEqual(page.status, 303);
    // An operator's session row is not found by the hash of its token, as earlier versions look it up.
    const hash = "identity.session where token_hash = sha256(convert_to($1, 'UTF8'))";
    assert.equal(await countOf(stack, hash, [Token]), 0);
  });

  test('the cookie of support access counts only in calls with its header, of pages of this service', async () => {
    const set = await start(operator.token, owner.id, { Cookie: true });
    assert.equal(bodyOf(set)['Token'], '');
    const text = set.headers.get('set-cookie') ?? '';
    assert.match(
      text,
      /^bailiwick_support=bwkp_\w+; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const cookie = `bailiwick_session=${operator.token}; ${text.split(';')[0]}`;
    const who = async (headers: Record<string, string>) => {
      const { status, body } = await stack.call('Account_Get', {}, undefined, headers);
      return status === 200 ? (body['User'] as { ID: string }).ID : status;
    };
    const own = { cookie, origin: stack.url };
    assert.equal(await who(own), operator.id);
    assert.equal(await who({ ...own, 'bailiwick-support': '1' }), owner.id);
    for (const foreign of [
      {},
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
    ])
      assert.equal(
        await who({ cookie, 'bailiwick-support': '1', ...(foreign as Record<string, string>) }),
        403,
      );
    const without = { cookie: `bailiwick_session=${operator.token}`, origin: stack.url };
    assert.equal(
      await who({ ...without, 'bailiwick-support': '1' }),
      401,
      'never the own session instead',
    );
    const ended = await stack.call('Support_End', {}, undefined, own);
    assert.match(ended.headers.get('set-cookie') ?? '', /^bailiwick_support=; Max-Age=0;/);
    assert.equal(await who({ ...own, 'bailiwick-support': '1' }), 401);
    assert.equal(await who(own), operator.id);
  });

  test('support access does not enter a tenant that requires single sign-on or a second factor', async () => {
    const user = await newOwner();
    const { Token } = await started(operator, user);
    await rowsOf(
      stack,
      `update access.tenant set settings = settings || '{"factor": {"required": "any", "from": "2020-01-01T00:00:00Z"}}' where id = $1`,
      [user.tenant],
    );
    await grant(user.id, 'platform-support');
    assertRefused(
      await ask('Groups_ListByTenant', { Tenant: user.tenant }, Token),
      403,
      'permission_denied',
    );
  });
});
