import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { inviter, type Person } from '../../support/invitations.ts';
import { login, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { ssoSession } from '../../support/sso.ts';
import { rowsOf } from '../../support/store.ts';
import { addTotp } from '../../support/totp.ts';
import { ask, createApp, exchange, type Relying, relyOn } from './stage.ts';
import { type Arrival, startVisitor, type Visitor } from './visitor.ts';

describeOne('a session that does not suffice for an app', 'one process', (topology) => {
  let stack: Stack;
  let use: ReturnType<typeof inviter>;
  let ofPlatform: Relying;
  before(async () => {
    stack = await sharedStack(topology);
    use = inviter(stack);
    ofPlatform = await relyOn(stack, await createApp(stack));
  });
  after(() => stack?.stop());

  /** A tenant of a person that requires this, with an app. */
  async function requiring(
    owner: Person,
    Settings: { RequireFactor?: string; RequireSso?: boolean },
  ) {
    const tenant = await use.tenantOf(owner);
    const app = await createApp(stack, { Tenant: tenant }, owner.token);
    bodyOf(
      await stack.call('Tenants_Update', { Tenant: { ID: tenant, Settings } }, stack.platformKey),
    );
    return { tenant, config: await relyOn(stack, app) };
  }

  /** The way back from the page, as its script takes it. */
  const goBack = (visitor: Visitor, { url }: Arrival) =>
    visitor.open(url.searchParams.get('return_to') ?? '');
  const pageOf = ({ url }: Arrival) => {
    assert.equal(url.pathname, '/login', url.href);
    const { step_up, again, tenant } = Object.fromEntries(url.searchParams);
    return { step_up, again, tenant };
  };
  const refusalOf = ({ url }: Arrival) => [
    url.searchParams.get('error'),
    url.searchParams.get('error_description'),
  ];

  test('leads to the page that asks for the factor, and back into the same request', async () => {
    const owner = await signUp(stack);
    const { tenant, config } = await requiring(owner, { RequireFactor: 'any' });
    const visitor = startVisitor(stack, owner.token);
    const request = await ask(config);
    const page = await visitor.open(request.url);
    assert.deepEqual(pageOf(page), { step_up: 'tenant', again: undefined, tenant });
    await addTotp(stack, owner.token);
    const tokens = await exchange(config, request, await goBack(visitor, page));
    assert.deepEqual([tokens.claims()?.sub, tokens.claims()?.acr], [owner.id, 'aal2']);
  });

  test('is refused if the person comes back without, and asks again with the next request', async () => {
    const owner = await signUp(stack);
    const person = await signUp(stack);
    const { tenant, config } = await requiring(owner, { RequireFactor: 'any' });
    const Member = { Tenant: tenant, UserID: person.id };
    bodyOf(await stack.call('TenantMembers_Add', Member, stack.platformKey));
    const visitor = startVisitor(stack, person.token);
    for (let round = 0; round < 2; round++) {
      const refused = await goBack(visitor, await visitor.open((await ask(config)).url));
      assert.deepEqual(refusalOf(refused), [
        'access_denied',
        'the organisation requires a second factor',
      ]);
    }
    const silent = await visitor.open((await ask(config, { prompt: 'none' })).url);
    assert.equal(refusalOf(silent)[0], 'login_required');
    // Another sign-in comes first, which may bring the factor.
    const page = await visitor.open((await ask(config, { prompt: 'login' })).url);
    assert.equal(pageOf(page).again, '1');
    visitor.signIn(String(bodyOf(await login(stack, person.email))['Token']));
    const second = await goBack(visitor, page);
    assert.equal(pageOf(second).step_up, 'tenant');
    assert.equal(refusalOf(await goBack(visitor, second))[0], 'access_denied');
  });

  test('leads to single sign-on, once for each tenant that requires it', async () => {
    const owner = await signUp(stack);
    const [first, second] = [
      await requiring(owner, { RequireSso: true }),
      await requiring(owner, { RequireSso: true }),
    ];
    const visitor = startVisitor(stack, owner.token);
    const request = await ask(first.config);
    const page = await visitor.open(request.url);
    assert.deepEqual(pageOf(page), { step_up: undefined, again: '1', tenant: first.tenant });
    visitor.signIn(await ssoSession(stack, owner, first.tenant));
    const tokens = await exchange(first.config, request, await goBack(visitor, page));
    assert.equal(tokens.claims()?.sub, owner.id);
    // The sign-in for the one tenant does not suffice for the other.
    const other = await visitor.open((await ask(second.config)).url);
    assert.equal(pageOf(other).tenant, second.tenant);
    assert.deepEqual(refusalOf(await goBack(visitor, other)), [
      'access_denied',
      'the organisation requires single sign-on',
    ]);
  });

  test('opens the only provider of the tenant itself', async () => {
    const owner = await signUp(stack);
    const { tenant, config } = await requiring(owner, { RequireSso: true });
    const ID = 'sso_00000000000000000000000000';
    await rowsOf(
      stack,
      `insert into sso.provider (tenant, id, kind, name, active, secret_enc, group_mappings, attribute_map, created_at, updated_at)
       values ($1, $2, 'oidc', 'Acme', true, '', '[]', '{}', now(), now())`,
      [tenant, ID],
    );
    const { url } = await startVisitor(stack, owner.token).open((await ask(config)).url);
    assert.equal(url.pathname, `/auth/${tenant}/${ID}/login`);
    assert.match(url.searchParams.get('return_to') ?? '', /^\/oauth\/interaction\/[^?]+\?back=1$/);
  });

  test('counts for the tenant that an app of the platform asks for, too', async () => {
    const owner = await signUp(stack);
    const { tenant } = await requiring(owner, { RequireSso: true });
    const visitor = startVisitor(stack, owner.token);
    const request = await ask(ofPlatform, { tenant });
    const page = await visitor.open(request.url);
    assert.equal(pageOf(page).tenant, tenant);
    visitor.signIn(await ssoSession(stack, owner, tenant));
    const tokens = await exchange(ofPlatform, request, await goBack(visitor, page));
    assert.equal(tokens.claims()?.['tenant'], tenant);
    const stranger = await signUp(stack);
    const refused = await startVisitor(stack, stranger.token).open(
      (await ask(ofPlatform, { tenant })).url,
    );
    assert.equal(refusalOf(refused)[0], 'access_denied');
  });

  test('acr_values lead to a step-up, and an essential acr is never done without', async () => {
    const person = await signUp(stack);
    assert.deepEqual(ofPlatform.serverMetadata().acr_values_supported, [
      'aal1',
      'aal2',
      'phishing_resistant',
    ]);
    const visitor = startVisitor(stack, person.token);
    const voluntary = await ask(ofPlatform, { acr_values: 'aal2' });
    const page = await visitor.open(voluntary.url);
    assert.deepEqual(pageOf(page), { step_up: 'aal2', again: undefined, tenant: undefined });
    const without = await exchange(ofPlatform, voluntary, await goBack(visitor, page));
    assert.equal(without.claims()?.acr, 'aal1');
    const essential = (values: string[]) => ({
      claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
    });
    const needed = await ask(ofPlatform, essential(['aal2']));
    const second = await visitor.open(needed.url);
    assert.equal(refusalOf(await goBack(visitor, second))[0], 'unmet_authentication_requirements');
    const unknown = await visitor.open((await ask(ofPlatform, essential(['gold']))).url);
    assert.equal(refusalOf(unknown)[0], 'unmet_authentication_requirements');
    const last = await ask(ofPlatform, essential(['aal2']));
    const third = await visitor.open(last.url);
    await addTotp(stack, person.token);
    const tokens = await exchange(ofPlatform, last, await goBack(visitor, third));
    assert.equal(tokens.claims()?.acr, 'aal2');
  });

  test('a request for single claims gets none beyond the scopes', async () => {
    const claims = JSON.stringify({
      id_token: { email: { essential: true } },
      userinfo: { name: null },
    });
    const request = await ask(ofPlatform, { scope: 'openid', claims });
    const person = await signUp(stack);
    const arrival = await startVisitor(stack, person.token).open(request.url);
    const tokens = await exchange(ofPlatform, request, arrival);
    assert.deepEqual([tokens.claims()?.sub, tokens.claims()?.['email']], [person.id, undefined]);
  });

  test('the page is bound to the browser that began', async () => {
    const owner = await signUp(stack);
    const { config } = await requiring(owner, { RequireFactor: 'any' });
    const page = await startVisitor(stack, owner.token).open((await ask(config)).url);
    const elsewhere = await goBack(startVisitor(stack, owner.token), page);
    assert.equal(elsewhere.status, 400);
  });
});
