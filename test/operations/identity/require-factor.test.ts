import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList } from '../../support/answers.ts';
import { type SoftPasskey, usePasskey } from '../../support/authenticator.ts';
import { createBot, createKey, grantBotInStore } from '../../support/bots.ts';
import { type Answer, describeOne, type Stack } from '../../support/harness.ts';
import { inviter, type Person } from '../../support/invitations.ts';
import { addPasskey, originOf, signInWith } from '../../support/passkeys.ts';
import { password, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { ssoSession } from '../../support/sso.ts';
import { rowsOf } from '../../support/store.ts';
import { addTotp, totp } from '../../support/totp.ts';

const isRequired = (answer: Answer) =>
  assertRefused(answer, 403, 'permission_denied', ['second factor required']);

// In a tenant that requires a second factor, sessions without it have no rights, in any operation.
describeOne('Settings.RequireFactor', 'five processes', (topology) => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  let use: ReturnType<typeof inviter>;
  before(async () => {
    stack = await sharedStack(topology);
    use = inviter(stack);
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  type Settings = { RequireFactor?: string; FactorGraceDays?: number; SessionIdleMinutes?: number };
  const set = (ID: string, Settings: Settings, token = stack.platformKey) =>
    stack.call('Tenants_Update', { Tenant: { ID, Settings } }, token);
  const groups = (Tenant: string, token: string) => stack.call('Groups_List', { Tenant }, token);

  const signIn = async (Email: string) =>
    bodyOf(await stack.call('Account_Login', { Email, Password: password })) as {
      Token: string;
      Session: { ID: string };
    };
  /** A new session of a person, whose sign-in proved this. No gateway has cached it. */
  async function sessionWith({ email }: Person, assurance: string): Promise<string> {
    const { Token, Session } = await signIn(email);
    await rowsOf(stack, 'update identity.session set assurance = $2 where id = $1', [
      Session.ID,
      assurance,
    ]);
    return Token;
  }

  test('a requirement takes effect and ends with the reply, for each session by its proofs', async () => {
    const Tenant = await use.tenantOf(ada);
    const [second, passkey] = [
      await sessionWith(ada, 'aal2'),
      await sessionWith(ada, 'phishing_resistant'),
    ];
    for (let round = 0; round < 3; round++) {
      for (const token of [ada.token, second, passkey]) bodyOf(await groups(Tenant, token));
      bodyOf(await set(Tenant, { RequireFactor: 'any' }));
      isRequired(await groups(Tenant, ada.token));
      for (const token of [second, passkey]) bodyOf(await groups(Tenant, token));
      bodyOf(await set(Tenant, { RequireFactor: 'phishing_resistant' }));
      for (const token of [ada.token, second]) isRequired(await groups(Tenant, token));
      bodyOf(await groups(Tenant, passkey));
      bodyOf(await set(Tenant, { RequireFactor: 'off' }));
    }
  });

  test('a step-up takes effect with its reply, in every process', async () => {
    const person = await signUp(stack);
    const Tenant = await use.tenantOf(person);
    const { Token } = await signIn(person.email);
    const { secret } = await addTotp(stack, person.token);
    bodyOf(await set(Tenant, { RequireFactor: 'any' }));
    const introspect = async () =>
      bodyOf(await stack.call('Tokens_Introspect', { Token, Tenant }, stack.platformKey))['Active'];
    isRequired(await groups(Tenant, Token));
    assert.equal(await introspect(), false);
    const { Challenge } = bodyOf(await stack.call('Account_BeginStepUp', {}, Token));
    const answer = { Challenge, Totp: totp(secret) };
    bodyOf(await stack.call('Account_CompleteStepUp', answer, Token));
    bodyOf(await groups(Tenant, Token));
    assert.equal(await introspect(), true);
  });

  test('a provider of another tenant proves no second factor', async () => {
    const [Tenant, other] = await Promise.all([use.tenantOf(ada), use.tenantOf(ada)]);
    const [own, foreign] = [
      await ssoSession(stack, ada, Tenant),
      await ssoSession(stack, ada, other),
    ];
    await rowsOf(
      stack,
      `update identity.session set assurance = 'phishing_resistant' where user_id = $1 and sso_tenant <> ''`,
      [ada.id],
    );
    bodyOf(await set(Tenant, { RequireFactor: 'phishing_resistant' }));
    bodyOf(await groups(Tenant, own));
    isRequired(await groups(Tenant, foreign));
    bodyOf(await groups(other, foreign));
  });

  test('a factor that was added in a session of another tenant’s provider proves nothing either', async () => {
    const person = await signUp(stack);
    const [Tenant, other] = await Promise.all([use.tenantOf(person), use.tenantOf(person)]);
    for (const ID of [Tenant, other]) bodyOf(await set(ID, { RequireFactor: 'any' }));
    const foreign = await ssoSession(stack, person, other);
    isRequired(await groups(other, foreign));
    const { secret } = await addTotp(stack, foreign);
    bodyOf(await groups(other, foreign));
    isRequired(await groups(Tenant, foreign));
    const stepUp = async (token: string, proof: (Options: string) => object) => {
      const stepUp = bodyOf(await stack.call('Account_BeginStepUp', {}, token));
      const { Challenge, Options } = stepUp as { Challenge: string; Options: string };
      bodyOf(await stack.call('Account_CompleteStepUp', { Challenge, ...proof(Options) }, token));
    };
    const { Codes } = bodyOf(await stack.call('RecoveryCodes_Generate', {}, foreign));
    const { passkey } = await addPasskey(stack, foreign);
    const [RecoveryCode] = Codes as string[];
    for (const proof of [
      () => ({ Totp: totp(secret, 1) }),
      () => ({ RecoveryCode }),
      (Options: string) => ({ Passkey: usePasskey(Options, originOf(stack), passkey) }),
    ]) {
      await stepUp(foreign, proof);
      isRequired(await groups(Tenant, foreign));
    }
    const signedIn = String(bodyOf(await signInWith(stack, passkey))['Token']);
    isRequired(await groups(Tenant, signedIn));
    // With the account's own sign-in before it, the same factor counts.
    await stepUp(person.token, (Options) => ({
      Passkey: usePasskey(Options, originOf(stack), passkey),
    }));
    bodyOf(await groups(Tenant, person.token));
    // A factor that was added there counts in every session.
    const own = await addPasskey(stack, person.token);
    await stepUp(foreign, (Options) => ({
      Passkey: usePasskey(Options, originOf(stack), own.passkey),
    }));
    bodyOf(await groups(Tenant, foreign));
  });

  test('AllowedMethods [account] refuses the providers of other tenants, also while RequireSso is lifted', async () => {
    const [Tenant, other] = await Promise.all([use.tenantOf(ada), use.tenantOf(ada)]);
    const [own, foreign] = [
      await ssoSession(stack, ada, Tenant),
      await ssoSession(stack, ada, other),
    ];
    const methods = (AllowedMethods: string[], token = stack.platformKey) =>
      stack.call('Tenants_Update', { Tenant: { ID: Tenant, Settings: { AllowedMethods } } }, token);
    bodyOf(await groups(Tenant, foreign));
    assertRefused(await methods(['account'], foreign), 400, 'failed_precondition');
    bodyOf(await methods(['account'], own));
    for (const token of [own, ada.token]) bodyOf(await groups(Tenant, token));
    bodyOf(await groups(other, foreign));
    const isRefused = async () =>
      assertRefused(await groups(Tenant, foreign), 403, 'permission_denied', [
        'this organisation does not accept the sign-in of another organisation',
      ]);
    await isRefused();
    const check = { Tenant, Permission: 'iam.groups.read' };
    assert.equal(bodyOf(await stack.call('Access_Check', check, foreign))['Allowed'], false);
    await rowsOf(
      stack,
      "update access.tenant set sso_lifted_until = now() + interval '1 hour' where id = $1",
      [Tenant],
    );
    bodyOf(await methods(['account'], own));
    await isRefused();
    bodyOf(await methods(['account', 'social'], own));
    bodyOf(await groups(Tenant, foreign));
  });

  test('a passkey that was added in a session of a provider does not lift AllowedMethods [account]', async () => {
    const person = await signUp(stack);
    const [Tenant, other] = await Promise.all([use.tenantOf(person), use.tenantOf(person)]);
    const foreign = await ssoSession(stack, person, other);
    const Settings = { AllowedMethods: ['account'], RequireFactor: 'phishing_resistant' };
    bodyOf(
      await stack.call('Tenants_Update', { Tenant: { ID: Tenant, Settings } }, stack.platformKey),
    );
    const tokenOf = async (passkey: SoftPasskey) =>
      String(bodyOf(await signInWith(stack, passkey))['Token']);
    const added = await addPasskey(stack, foreign);
    const token = await tokenOf(added.passkey);
    assertRefused(await groups(Tenant, token), 403, 'permission_denied', [
      'this organisation does not accept social sign-in',
    ]);
    bodyOf(await groups(other, token));
    // With the same passkey as the second factor, the session is the account's own.
    const { Challenge, Options } = bodyOf(
      await stack.call('Account_BeginStepUp', {}, person.token),
    ) as { Challenge: string; Options: string };
    const Passkey = usePasskey(Options, originOf(stack), added.passkey);
    bodyOf(await stack.call('Account_CompleteStepUp', { Challenge, Passkey }, person.token));
    bodyOf(await groups(Tenant, person.token));
    bodyOf(await groups(Tenant, await tokenOf((await addPasskey(stack, person.token)).passkey)));
  });

  test('only an active member learns the reason; bots and the platform are not affected', async () => {
    const Tenant = await use.tenantOf(ada);
    bodyOf(await set(Tenant, { RequireFactor: 'any' }));
    assertRefused(await groups(Tenant, bob.token), 403, 'permission_denied', ['permission denied']);
    isRequired(await groups(Tenant, ada.token));
    bodyOf(await groups(Tenant, stack.platformKey));
    const bot = await createBot(stack, Tenant, stack.platformKey);
    await grantBotInStore(stack, bot, 'member');
    bodyOf(await groups(Tenant, (await createKey(stack, bot, stack.platformKey)).Secret));
  });

  test('a session without the factor sees nothing of the tenant, in any list', async () => {
    const Tenant = await use.tenantOf(ada);
    const strong = await sessionWith(ada, 'aal2');
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'ops' } }, strong));
    bodyOf(await stack.call('Groups_AddMember', { Tenant, Group: 'ops', UserID: ada.id }, strong));
    bodyOf(await set(Tenant, { RequireFactor: 'any', SessionIdleMinutes: 60 }));
    for (const operation of ['Groups_ListMemberGroups', 'Grants_List']) {
      const sees = async (token: string) =>
        (
          await readList<{ Tenant: string }>(stack, operation, { UserID: ada.id }, token)
        ).items.some((entry) => entry.Tenant === Tenant);
      assert.deepEqual([await sees(strong), await sees(ada.token)], [true, false], operation);
    }
    isRequired(await stack.call('Bots_List', { Tenant }, ada.token));
    const introspect = async (Token: string) =>
      bodyOf(await stack.call('Tokens_Introspect', { Token, Tenant }, stack.platformKey))['Active'];
    assert.deepEqual([await introspect(strong), await introspect(ada.token)], [true, false]);
    const mine = async (token: string) =>
      (
        await readList<{ ID: string; Settings: Record<string, unknown> }>(
          stack,
          'Tenants_ListMine',
          {},
          token,
        )
      ).items.find(({ ID }) => ID === Tenant)?.Settings;
    for (const [token, minutes] of [
      [ada.token, 0],
      [strong, 60],
    ] as const) {
      const settings = await mine(token);
      assert.deepEqual(
        [settings?.['RequireFactor'], settings?.['SessionIdleMinutes']],
        ['any', minutes],
      );
    }
  });

  test('the days of grace leave members time to add a factor', async () => {
    const Tenant = await use.tenantOf(ada);
    assertRefused(await set(Tenant, { FactorGraceDays: 91 }), 400, 'invalid_argument');
    bodyOf(await set(Tenant, { RequireFactor: 'any', FactorGraceDays: 7 }, ada.token));
    bodyOf(await groups(Tenant, ada.token));
    const { Tenant: tenant } = bodyOf(await stack.call('Tenants_Get', { Tenant }, ada.token)) as {
      Tenant: { Settings: { FactorRequiredFrom: string } };
    };
    const days = (Date.parse(tenant.Settings.FactorRequiredFrom) - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days <= 7, tenant.Settings.FactorRequiredFrom);
    await rowsOf(
      stack,
      `update access.tenant set settings = jsonb_set(settings, '{factor,from}', '"2020-01-01T00:00:00.000Z"') where id = $1`,
      [Tenant],
    );
    isRequired(await groups(Tenant, (await signIn(ada.email)).Token));
  });

  test('a person cannot bring a requirement into force that the own session does not meet', async () => {
    const Tenant = await use.tenantOf(ada);
    const message = [
      'Tenant.Settings.RequireFactor can be switched on without FactorGraceDays in a session with such a factor, or with a bot’s key',
    ];
    const second = await sessionWith(ada, 'aal2');
    for (const [level, token] of [
      ['any', ada.token],
      ['phishing_resistant', second],
    ] as const)
      assertRefused(
        await set(Tenant, { RequireFactor: level }, token),
        400,
        'failed_precondition',
        message,
      );
    bodyOf(await set(Tenant, { RequireFactor: 'any' }, second));
    assertRefused(
      await stack.call(
        'Tenants_Create',
        { Tenant: { Name: 'Strict', Settings: { RequireFactor: 'any' } } },
        ada.token,
      ),
      400,
      'failed_precondition',
      message,
    );
  });
});
