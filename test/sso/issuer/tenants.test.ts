import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { inviter } from '../../support/invitations.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';
import {
  answerConsent,
  ask,
  createApp,
  errorOf,
  exchange,
  type Relying,
  relyOn,
  resource,
  signInWith,
} from './stage.ts';
import { type Arrival, startVisitor } from './visitor.ts';

const linksOf = ({ text }: Arrival): string[] =>
  [...text.matchAll(/<a class="button[^"]*" href="(\?[^"]*)"/g)].map(([, href = '']) => href);

describeOne('the tenant of a sign-in', 'one process', (topology) => {
  let stack: Stack;
  let config: Relying;
  let owner: Awaited<ReturnType<typeof signUp>>;
  const tenants: string[] = [];
  before(async () => {
    stack = await sharedStack(topology);
    owner = await signUp(stack);
    tenants.push(await tenantFor(stack, owner.id), await tenantFor(stack, owner.id));
    const Scopes = ['openid', 'profile', 'email', 'groups', 'offline_access', 'app.reports.read'];
    config = await relyOn(stack, await createApp(stack, { Scopes }));
  });
  after(() => stack?.stop());

  const scope = 'openid groups app.reports.read';
  const claimsOf = (token: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;

  test('tenant= and organization= choose it, by ID or slug, and the tokens say what the person is there', async () => {
    const [first = '', second = ''] = tenants;
    const [Path, inGroup] = ['engineering/platform', { Tenant: first, UserID: owner.id }];
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant: first, Path } }, owner.token));
    bodyOf(await stack.call('Groups_AddMember', { ...inGroup, Group: Path }, owner.token));
    const Role = { Tenant: first, Slug: 'readers', Name: 'Readers' };
    const Permissions = ['app.reports.read', 'app.reports.write'];
    bodyOf(await stack.call('Roles_Save', { Role: { ...Role, Permissions } }, owner.token));
    const Grant = { ...inGroup, Role: 'readers' };
    bodyOf(await stack.call('Grants_Add', { Grant }, owner.token));
    const { tokens } = await signInWith(stack, config, owner.token, {
      scope,
      resource,
      tenant: first,
    });
    const { tenant, roles, groups } = tokens.claims() ?? assert.fail('no ID token');
    assert.deepEqual([tenant, roles, groups], [first, ['owner', 'readers'], [Path]]);
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', { resource });
    const inAccess = claimsOf(next.access_token);
    assert.deepEqual(
      [inAccess['tenant'], inAccess['permissions'], inAccess['groups']],
      [first, ['app.reports.read'], [Path]],
    );
    const [row] = await rowsOf<{ slug: string }>(
      stack,
      'select slug from access.tenant where id = $1',
      [second],
    );
    const slug = row?.slug ?? '';
    const other = await signInWith(stack, config, owner.token, { organization: slug });
    assert.deepEqual(
      [other.tokens.claims()?.['tenant'], other.tokens.claims()?.['tenant_slug']],
      [second, slug],
    );
    const claims = await client.fetchUserInfo(config, other.tokens.access_token, owner.id);
    assert.equal(claims['tenant'], second);
  });

  test('a person with several tenants is asked, and with one or none is not', async () => {
    const person = await signUp(stack);
    const without = await signInWith(stack, config, person.token);
    assert.equal(without.tokens.claims()?.['tenant'], undefined);
    const only = await tenantFor(stack, person.id);
    const one = await signInWith(stack, config, person.token);
    assert.equal(one.tokens.claims()?.['tenant'], only);
    const second = await tenantFor(stack, person.id);
    const visitor = startVisitor(stack, person.token);
    const request = await ask(config, { prompt: 'select_account' });
    const page = await visitor.open(request.url);
    assert.deepEqual(linksOf(page).sort(), [`?tenant=${only}`, `?tenant=${second}`].sort());
    const foreign = await visitor.open(new URL(`?tenant=${tenants[0]}`, page.url));
    assert.deepEqual(linksOf(foreign), linksOf(page));
    const tokens = await exchange(
      config,
      request,
      await visitor.open(new URL(`?tenant=${second}`, page.url)),
    );
    assert.equal(tokens.claims()?.['tenant'], second);
  });

  test('a foreign and an unknown tenant are refused alike', async () => {
    const person = await signUp(stack);
    const answers = await Promise.all(
      [tenants[0] ?? '', 'tnt_00000000000000000000000000', 'nobody'].map(async (tenant) => {
        const { url } = await startVisitor(stack, person.token).open(
          (await ask(config, { tenant })).url,
        );
        return [url.searchParams.get('error'), url.searchParams.get('error_description')];
      }),
    );
    assert.equal(answers[0]?.[0], 'access_denied');
    assert.deepEqual(answers[1], answers[0]);
    assert.deepEqual(answers[2], answers[0]);
  });

  test('a member who is removed from the tenant cannot refresh', async () => {
    const [Tenant = ''] = tenants;
    const member = await signUp(stack);
    const { invite, accept } = inviter(stack);
    bodyOf(await accept(await invite(Tenant, member.email, owner.token), member.token));
    const { tokens } = await signInWith(stack, config, member.token, { tenant: Tenant });
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    assert.equal(next.claims()?.['tenant'], Tenant);
    bodyOf(await stack.call('TenantMembers_Remove', { Tenant, UserID: member.id }, owner.token));
    const refused = await errorOf(client.refreshTokenGrant(config, next.refresh_token ?? ''));
    assert.equal(refused, 'invalid_grant');
  });

  test('only the person who began a choice or a consent finishes it, with the same session', async () => {
    const [person, other] = await Promise.all([signUp(stack), signUp(stack)]);
    for (const { id } of [person, person, other, other]) await tenantFor(stack, id);
    const asking = await relyOn(stack, await createApp(stack, { RequireConsent: true }));
    const visitor = startVisitor(stack, person.token);
    const choice = await visitor.open((await ask(config)).url);
    const [href = ''] = linksOf(choice);
    visitor.signIn(other.token);
    assert.equal((await visitor.open(new URL(href, choice.url))).status, 400);
    assert.equal((await visitor.open(choice.url)).status, 400);

    visitor.signIn(person.token);
    const tenant = new URL(href, choice.url).searchParams.get('tenant') ?? '';
    const request = await ask(asking, { tenant });
    const page = await visitor.open(request.url);
    visitor.signIn(other.token);
    assert.equal((await answerConsent(visitor, page, 'yes')).status, 400);
    visitor.signIn(person.token);
    const arrival = await answerConsent(visitor, page, 'yes');
    assert.equal((await exchange(asking, request, arrival)).claims()?.sub, person.id);
  });

  test('an app that requires consent asks once, and not again for the same scopes', async () => {
    const person = await signUp(stack);
    const RequireConsent = true;
    const asking = await relyOn(
      stack,
      await createApp(stack, { Name: 'A <b> app', RequireConsent }),
    );
    const refusing = startVisitor(stack, person.token);
    const page = await refusing.open((await ask(asking)).url);
    assert.match(page.text, /A &lt;b&gt; app/);
    // The library drops offline_access from such a request, and the app gets a refresh token.
    assert.match(page.text, /staying signed in until you sign out/);
    assert.match(page.text, /<form method="post">/);
    const refused = await answerConsent(refusing, page, 'no');
    assert.equal(refused.url.searchParams.get('error'), 'access_denied');

    const visitor = startVisitor(stack, person.token);
    const request = await ask(asking);
    const again = await visitor.open(request.url);
    // A link of another site answers nothing.
    const linked = await visitor.open(new URL('?consent=yes', again.url));
    assert.equal(linked.url.origin, stack.url);
    const arrival = await answerConsent(visitor, again, 'yes');
    assert.equal((await exchange(asking, request, arrival)).claims()?.sub, person.id);
    const silent = await signInWith(stack, asking, person.token, { prompt: 'none' });
    assert.equal(silent.tokens.claims()?.sub, person.id);
    const more = await ask(asking, { prompt: 'none', scope: 'openid app.reports.read', resource });
    const wider = await startVisitor(stack, person.token).open(more.url);
    assert.equal(wider.url.searchParams.get('error'), 'consent_required');
  });
});
