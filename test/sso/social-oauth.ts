import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../support/answers.ts';
import { type Github, type GithubUser, startGithub } from '../support/github.ts';
import { newAddress, signUp } from '../support/people.ts';
import { appOrigin } from '../support/shared.ts';
import { countOf, dumpOf } from '../support/store.ts';
import { goThrough, type ProviderRecord, refusalIn } from './home.ts';
import { type SocialStage, secret } from './social-stage.ts';
import { account } from './stage.ts';

// Sign-ins through an OAuth 2.0 provider with a user-info address.

/** `stageOf` is called after the suite has started it. */
export function testSocialOauth(stageOf: () => SocialStage): void {
  let stack: SocialStage['stack'];
  let startOf: SocialStage['startOf'];
  let save: SocialStage['save'];
  let github: Github;
  let provider: ProviderRecord;
  before(async () => {
    ({ stack, startOf, save } = stageOf());
    github = await startGithub({ clientId: 'bailiwick', secret });
    provider = await add({});
  });
  after(() => github?.stop());

  const add = async (fields: object): Promise<ProviderRecord> =>
    recordIn(
      await save({ Name: 'GitHub', ...github.provider, ...fields }),
      'Provider',
    ) as ProviderRecord;
  const verified = (email: string) => [{ email, primary: true, verified: true }];
  /** Signs in as a user, who is set before. */
  function enter(login: string, user: GithubUser, { by = provider, returnTo = '' } = {}) {
    github.setUser(login, user);
    return goThrough(stack, startOf(by, returnTo), { login });
  }
  const lastErrorOf = async ({ ID }: ProviderRecord) =>
    (
      recordIn(
        await stack.call('Sso_GetProvider', { ID }, stack.platformKey),
        'Provider',
      ) as ProviderRecord
    ).LastError;

  test('a user is identified by the number of the user-info response, with the verified primary address', async () => {
    const email = newAddress('octocat');
    const emails = [
      { email: newAddress('second'), primary: false, verified: true },
      ...verified(email),
    ];
    const first = await enter('octocat', {
      id: 583_231,
      name: 'Mona',
      email: 'x@y.example',
      emails,
    });
    const { User } = await account(stack, first.token ?? '');
    assert.deepEqual([User.Email, User.Name], [email, 'Mona']);
    const [session] = (
      await readList<Record<string, unknown>>(stack, 'Sessions_List', {}, first.token ?? '')
    ).items;
    assert.deepEqual(
      [session?.['AuthMethods'], session?.['Assurance'], session?.['Provider']],
      [['oauth'], 'aal1', provider.ID],
    );
    // The login name changes and may be given to another user. The number stays.
    const renamed = await enter('mona', { id: 583_231, emails });
    assert.equal((await account(stack, renamed.token ?? '')).User.ID, User.ID);
    const successor = await enter('octocat', { id: 99, emails: verified(newAddress('successor')) });
    assert.notEqual((await account(stack, successor.token ?? '')).User.ID, User.ID);
  });

  test('an application on another origin gets a code', async () => {
    github.setUser('coder', { id: 7, emails: verified(newAddress('coder')) });
    const start = startOf(provider, `${appOrigin}/back?state=5f1c`);
    const redirect = await fetch(start, { redirect: 'manual' });
    const cookie = (redirect.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    const login = await fetch(redirect.headers.get('location') ?? '', {
      method: 'POST',
      body: new URLSearchParams({ login: 'coder' }),
      redirect: 'manual',
    });
    const back = await fetch(login.headers.get('location') ?? '', {
      redirect: 'manual',
      headers: { cookie },
    });
    const target = new URL(back.headers.get('location') ?? '');
    assert.deepEqual(
      [target.origin, target.pathname, target.searchParams.get('state')],
      [appOrigin, '/back', '5f1c'],
    );
    const Code = target.searchParams.get('code') ?? '';
    const exchanged = await stack.call('Account_ExchangeCode', { Code }, undefined, {
      origin: appOrigin,
    });
    assert.match(String(bodyOf(exchanged)['Token']), /^bwks_/);
    // The provider's code is used up with the first answer.
    const replayed = await fetch(login.headers.get('location') ?? '', {
      redirect: 'manual',
      headers: { cookie },
    });
    assert.equal(replayed.status, 400);
  });

  test('without a verified primary address no user is created, and none is linked', async () => {
    const owner = await signUp(stack);
    const users = await countOf(stack, 'identity.user_account');
    const cases: ReadonlyArray<[GithubUser['emails'], RegExp]> = [
      [[{ email: owner.email, primary: true, verified: false }], /has not verified your email/],
      [[{ email: owner.email, primary: false, verified: true }], /did not send your email/],
      [[], /did not send your email/],
      [[...verified(owner.email), ...verified(newAddress())], /cannot be accepted/],
    ];
    for (const [emails, message] of cases) {
      // The public address of the profile does not count.
      const user = { id: 1000, email: owner.email, emails: emails ?? [] };
      assert.match(refusalIn(await enter('unverified', user)).Message, message);
    }
    assert.equal(await countOf(stack, 'identity.user_account'), users);
    assert.equal(await countOf(stack, 'identity.pending_link where user_id = $1', [owner.id]), 0);
  });

  test('a user without a usable identifier is refused', async () => {
    const emails = verified(newAddress('stranger'));
    for (const id of [undefined, null, '', 1.5, 2 ** 53, true, ['1'], { a: 1 }, 'x'.repeat(256)])
      assert.match(refusalIn(await enter('odd', { id, emails })).Message, /cannot be accepted/);
    assert.match(await lastErrorOf(provider), /no id that is a text of 1 to 255 characters/);
  });

  test('fields can be mapped, for providers without a list of addresses', async () => {
    const mapped = await add({
      Name: 'Mapped',
      Preset: '',
      EmailsURL: '',
      TokenAuthMethod: 'client_secret_post',
      Scopes: ['user'],
      AttributeMap: { Subject: 'uid', Email: 'mail', EmailVerified: 'checked', Name: 'nick' },
    });
    const email = newAddress('mapped');
    const user = { id: 1, uid: 'u-1', mail: email, checked: true, nick: 'Nick' };
    const { token = '' } = await enter('mapped', user, { by: mapped });
    const { User } = await account(stack, token);
    assert.deepEqual([User.Email, User.Name], [email, 'Nick']);
    const other = { ...user, uid: 'u-2', mail: newAddress('other'), checked: false };
    assert.match(
      refusalIn(await enter('mapped', other, { by: mapped })).Message,
      /has not verified your email/,
    );
  });

  test('Sso_SaveProvider takes the addresses of a preset, checks all addresses and keeps the secret to its own', async () => {
    const { body } = await save({ Name: 'Real', Kind: 'oauth', Preset: 'github', ClientID: 'c' });
    const saved = body['Provider'] as Record<string, unknown>;
    assert.deepEqual(
      [saved['UserinfoURL'], saved['EmailsURL'], saved['Scopes'], saved['AttributeMap']],
      [
        'https://api.github.com/user',
        'https://api.github.com/user/emails',
        ['read:user', 'user:email'],
        { Subject: 'id' },
      ],
    );
    bodyOf(await stack.call('Sso_DeleteProvider', { ID: saved['ID'] }, stack.platformKey));
    const wrong = { Name: 'Wrong', Kind: 'oidc', Preset: 'github', ClientID: 'c' };
    assertRefused(await save(wrong), 400, 'invalid_argument', [
      'Provider.Kind must be oauth with Preset github',
    ]);
    const inner = { Name: 'Inner', ...github.provider, UserinfoURL: 'http://169.254.169.254/user' };
    assertRefused(await save(inner), 400, 'invalid_argument');
    // The stored secret goes to no other token endpoint.
    const elsewhere = { ...provider, TokenURL: `${github.base}/elsewhere` };
    assertRefused(
      await stack.call('Sso_SaveProvider', { Provider: elsewhere }, stack.platformKey),
      400,
      'invalid_argument',
      ['Secret is required with client_secret_post'],
    );
    const { owner, tenant } = await stageOf().home();
    assertRefused(
      await save({ Name: 'Ours', ...github.provider, Tenant: tenant }, owner.token),
      400,
      'invalid_argument',
      ['Provider.Kind must not be oauth if Provider.Tenant is not empty'],
    );
    const tested = bodyOf(
      await stack.call('Sso_TestProvider', { ID: provider.ID }, stack.platformKey),
    );
    assert.equal(tested['OK'], true, JSON.stringify(tested));
    const stored = await dumpOf(stack, 'sso');
    assert.ok(!stored.includes(secret) && !stored.includes('gho_'));
  });
}
