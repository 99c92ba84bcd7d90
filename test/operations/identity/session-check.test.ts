import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, createApp, relyOn } from '../../sso/issuer/stage.ts';
import { startVisitor } from '../../sso/issuer/visitor.ts';
import { bodyOf, recordIn } from '../../support/answers.ts';
import { newIdentity } from '../../support/federation.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { inviter } from '../../support/invitations.ts';
import { login, signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';

// Whether a session satisfies a tenant, and when it ends there. access answers; a gateway, the
// issuer and introspection follow. Each case asks all three about one session.

/** The session of a case; by default a password session of a member. */
type Case = {
  settings?: object;
  /** The columns of the session's row. */
  session?: Record<string, unknown>;
  /** Where a provider opened the session: in the tenant of the case, in another, on the platform. */
  provider?: 'own' | 'other' | 'platform';
  isMember?: boolean;
  isSuspended?: boolean;
  /** The link to the provider is not confirmed, or its last change. */
  unconfirmed?: 'link' | 'provider';
  gateway: string;
  issuer: string;
  isActive: boolean;
};

const ok = { gateway: 'ok', issuer: 'code', isActive: true };
const refused = { isActive: false };
const ended = { gateway: 'a valid credential is required', issuer: 'again', isActive: false };

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

const cases: Record<string, Case> = {
  'a member, without requirements': ok,
  'no member': {
    ...refused,
    isMember: false,
    gateway: 'permission denied',
    issuer: 'this app is for the members of one organisation',
  },
  'a suspended tenant': {
    ...refused,
    isSuspended: true,
    gateway: 'tenant Acme is suspended',
    issuer: 'the organisation is suspended',
  },
  'required SSO, and a password': {
    ...refused,
    settings: { RequireSso: true },
    gateway: 'this organisation requires single sign-on',
    issuer: 'again',
  },
  'required SSO, and a session of the provider': {
    ...ok,
    settings: { RequireSso: true },
    provider: 'own',
  },
  'required SSO, and a session of another tenant': {
    ...refused,
    settings: { RequireSso: true },
    provider: 'other',
    gateway: 'this organisation requires single sign-on',
    issuer: 'again',
  },
  'required SSO, and a session of the platform': {
    ...refused,
    settings: { RequireSso: true },
    provider: 'platform',
    gateway: 'this organisation does not accept social sign-in',
    issuer: 'again',
  },
  'no social sign-ins, and a session of the platform': {
    ...refused,
    settings: { AllowedMethods: ['account'] },
    provider: 'platform',
    gateway: 'this organisation does not accept social sign-in',
    issuer: 'again',
  },
  'no social sign-ins, and a session of another tenant': {
    ...refused,
    settings: { AllowedMethods: ['account'] },
    provider: 'other',
    gateway: 'this organisation does not accept the sign-in of another organisation',
    issuer: 'again',
  },
  'a required factor, and a password': {
    ...refused,
    settings: { RequireFactor: 'any' },
    gateway: 'second factor required',
    issuer: 'step_up',
  },
  'a required factor, and a proof': {
    ...ok,
    settings: { RequireFactor: 'any' },
    session: { assurance: 'aal2' },
  },
  'a factor that resists phishing, and another one': {
    ...refused,
    settings: { RequireFactor: 'phishing_resistant' },
    session: { assurance: 'aal2' },
    gateway: 'second factor required',
    issuer: 'step_up',
  },
  'a required factor, and the proof of another provider': {
    ...refused,
    settings: { RequireFactor: 'any' },
    provider: 'other',
    session: { assurance: 'aal2' },
    gateway: 'second factor required',
    issuer: 'step_up',
  },
  'a session that is limited to another tenant': {
    ...refused,
    provider: 'other',
    unconfirmed: 'link',
    gateway: 'permission denied',
    issuer: 'again',
  },
  'a provider whose change is not confirmed': {
    ...refused,
    provider: 'own',
    unconfirmed: 'provider',
    gateway: 'the identity provider of this session was changed and is not confirmed',
    issuer: 'again',
  },
  'a session older than the tenant allows': {
    ...ended,
    settings: { SessionMaxMinutes: 60 },
    session: { created_at: minutesAgo(61) },
  },
  'a session as old as the tenant allows': {
    ...ok,
    settings: { SessionMaxMinutes: 60 },
    session: { created_at: minutesAgo(50) },
  },
  // A call is a use of the session, and introspection is not.
  'a session without a call for longer than the tenant allows': {
    ...ok,
    ...refused,
    settings: { SessionIdleMinutes: 30 },
    session: { last_seen_at: minutesAgo(31) },
  },
};

describeOne('a session in a tenant', 'five processes', (topology) => {
  let stack: Stack;
  let use: ReturnType<typeof inviter>;
  let elsewhere: string;
  before(async () => {
    stack = await sharedStack(topology);
    use = inviter(stack);
    elsewhere = await use.tenantOf(await signUp(stack));
  });
  after(() => stack?.stop());

  const asPlatform = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, stack.platformKey));

  /** The tenant of a case, its app, and the person of the session. */
  async function stageOf({ settings, isMember = true, isSuspended = false }: Case) {
    const [owner, person] = [await signUp(stack), await signUp(stack)];
    const tenant = await tenantFor(stack, owner.id);
    const app = await createApp(stack, { Tenant: tenant }, owner.token);
    if (isMember) await use.add(tenant, person, owner, 'admin');
    if (settings)
      await asPlatform('Tenants_Update', { Tenant: { ID: tenant, Settings: settings } });
    const config = await relyOn(stack, app);
    if (isSuspended) await asPlatform('Tenants_Suspend', { Tenant: tenant });
    return { tenant, config, person };
  }

  /** A session that no process has cached, and its place in the store. */
  async function sessionOf({ provider, unconfirmed, session = {} }: Case, stage: Stage) {
    const { tenant, person } = stage;
    const answer = await login(stack, person.email);
    const { ID: id } = recordIn(answer, 'Session') as { ID: string };
    const place = { own: tenant, other: elsewhere, platform: '' }[provider ?? 'platform'];
    const columns: Record<string, unknown> = { ...session };
    if (provider) {
      const trust = unconfirmed === 'link' ? 'address' : 'confirmed';
      columns['sso_tenant'] = place;
      columns['provider'] = await newIdentity(stack, person.id, place, trust);
    }
    if (unconfirmed === 'provider') {
      columns['unconfirmed'] = true;
      await changeProvider(place, String(columns['provider']));
    }
    for (const [column, value] of Object.entries(columns))
      await rowsOf(stack, `update identity.session set ${column} = $2 where id = $1`, [id, value]);
    return String(bodyOf(answer)['Token']);
  }

  /** A change of the provider by a user who may grant nothing there, and which is not confirmed. */
  const changeProvider = async (tenant: string, provider: string) => {
    const { id } = await signUp(stack);
    await rowsOf(
      stack,
      'insert into identity.unconfirmed_provider (tenant, provider, id, voucher) values ($1, $2, $3, $4)',
      [tenant, provider, 'evt_1', `user ${id} `],
    );
  };

  async function atGateway({ tenant }: Stage, token: string): Promise<string> {
    const { status, body } = await stack.call('Groups_List', { Tenant: tenant }, token);
    return status === 200 ? 'ok' : String(body.Messages?.[0]);
  }

  /** The person gets a code at the app of the tenant, the sign-in page or a refusal. */
  async function atIssuer({ config }: Stage, token: string): Promise<string> {
    const { url } = await startVisitor(stack, token).open((await ask(config)).url);
    if (url.searchParams.has('code')) return 'code';
    if (url.searchParams.has('step_up')) return 'step_up';
    return url.pathname === '/login' ? 'again' : String(url.searchParams.get('error_description'));
  }

  const atIntrospection = async ({ tenant: Tenant }: Stage, Token: string): Promise<boolean> =>
    (await asPlatform('Tokens_Introspect', { Token, Tenant }))['Active'] === true;

  type Stage = Awaited<ReturnType<typeof stageOf>>;

  for (const [name, one] of Object.entries(cases))
    test(`${name}: the gateway, the issuer and introspection agree`, async () => {
      const stage = await stageOf(one);
      // A session for each: the first that is asked ends the session in its record.
      const [first, second, third] = [
        await sessionOf(one, stage),
        await sessionOf(one, stage),
        await sessionOf(one, stage),
      ];
      assert.equal(await atIntrospection(stage, first), one.isActive);
      const message = await atGateway(stage, second);
      assert.ok(message.startsWith(one.gateway), message);
      assert.equal(await atIssuer(stage, third), one.issuer);
    });
});
