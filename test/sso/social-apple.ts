import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, verify } from 'node:crypto';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { newAddress } from '../support/people.ts';
import { dumpOf } from '../support/store.ts';
import { formOf, startBrowser } from './browse.ts';
import type { ProviderRecord } from './home.ts';
import { type Op, startOp } from './oidc/op.ts';
import type { SocialStage } from './social-stage.ts';
import { account } from './stage.ts';

// Sign-ins through a provider of Apple's shape: it takes no fixed client secret, posts its answer,
// and sends the user's name beside the first one only.

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pemOf = ({ privateKey }: ReturnType<typeof pair>): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const registered = 'the secret that oidc-provider knows';

/** `stageOf` is called after the suite has started it. */
export function testSocialApple(stageOf: () => SocialStage): void {
  let stack: SocialStage['stack'];
  let op: Op;
  let provider: ProviderRecord;
  let team = pair();
  const secrets: string[] = [];

  /** Checks a client secret as Apple does. */
  function secretFor(secret: string): string {
    secrets.push(secret);
    const [header = '', payload = '', signature = ''] = secret.split('.');
    const by = { key: team.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    const text = Buffer.from(`${header}.${payload}`);
    if (!verify('sha256', text, by, Buffer.from(signature, 'base64url'))) return 'wrong';
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    const { iss, sub, aud, iat, exp, ...more } = read(payload);
    assert.deepEqual(read(header), { alg: 'ES256', kid: 'KEY1234567' });
    assert.deepEqual([iss, sub, aud, more], ['TEAM123456', 'com.example.web', op.issuer, {}]);
    const now = Date.now() / 1000;
    assert.ok(iat <= now + 1 && exp > now && exp - iat <= 600);
    return registered;
  }

  const named = { KeyID: 'KEY1234567', TeamID: 'TEAM123456' };
  const save = (fields: object, secret: object = {}) =>
    stack.call(
      'Sso_SaveProvider',
      {
        Provider: {
          Name: 'Apple',
          Kind: 'oidc',
          Preset: 'apple',
          Issuer: op.issuer,
          ClientID: 'com.example.web',
          ...fields,
        },
        ...secret,
      },
      stack.platformKey,
    );

  before(async () => {
    stack = stageOf().stack;
    op = await startOp({ clients: [], secretFor });
    const saved = await save(named, { PrivateKey: pemOf(team) });
    provider = recordIn(saved, 'Provider') as ProviderRecord;
    op.setClient({
      id: 'com.example.web',
      redirectUris: [provider.RedirectURI],
      secret: registered,
      method: 'client_secret_post',
    });
  });
  after(() => op?.stop());

  /** Signs in. `user` is posted beside the answer, as Apple does once. */
  async function enter(sub: string, user?: object) {
    const browser = startBrowser();
    let page = await browser.open(stageOf().startOf(provider));
    while (page.text.includes('<form') && !page.url.startsWith(`${stack.url}/login`)) {
      const form = formOf(page);
      if ('login' in form.fields) form.fields['login'] = sub;
      const isAnswer = form.action === provider.RedirectURI;
      if (isAnswer) assert.equal(form.method, 'post');
      if (isAnswer && user) form.fields['user'] = JSON.stringify(user);
      page = await browser.send(form);
    }
    return { page, token: browser.cookie('bailiwick_session') ?? '' };
  }

  test('each request to the token endpoint has a new client secret by the team’s key, and the name comes with the first answer', async () => {
    const email = newAddress('apple');
    // Apple sends email_verified as text.
    op.setAccount('a1', { email, email_verified: 'true' as unknown as boolean });
    const first = await enter('a1', {
      name: { firstName: 'Ada', lastName: 'Lovelace' },
      email: newAddress('forged'),
      sub: 'a2',
    });
    const { User } = await account(stack, first.token);
    assert.deepEqual([User.Email, User.Name], [email, 'Ada Lovelace']);
    const second = await enter('a1', { name: { firstName: 'Eve', lastName: 'X' } });
    const user = (await account(stack, second.token)).User;
    assert.deepEqual([user.ID, user.Name], [User.ID, 'Ada Lovelace']);
    assert.equal(new Set(secrets).size, 2);
    const tested = await stack.call('Sso_TestProvider', { ID: provider.ID }, stack.platformKey);
    assert.equal(bodyOf(tested)['OK'], true, JSON.stringify(tested.body));
  });

  test('the private key is sealed, is in no answer, and can be replaced', async () => {
    const read = await stack.call('Sso_GetProvider', { ID: provider.ID }, stack.platformKey);
    const { KeyID, TeamID, ...rest } = recordIn(read, 'Provider') as Record<string, unknown>;
    assert.deepEqual({ KeyID, TeamID }, named);
    assert.doesNotMatch(JSON.stringify(rest), /PRIVATE|PrivateKey/);
    const body = pemOf(team).split('\n').slice(1, 2).join('');
    assert.ok(body.length > 40);
    const stored = await dumpOf(stack, 'sso');
    for (const form of [body, Buffer.from(body).toString('hex')]) assert.ok(!stored.includes(form));

    // A change of other fields keeps the key.
    bodyOf(await save({ ...named, ID: provider.ID, Name: 'Apple ID' }));
    op.setAccount('a3', { email: newAddress('kept'), email_verified: true });
    assert.notEqual((await enter('a3')).token, '');
    const old = team;
    team = pair();
    assert.equal((await enter('a3')).token, '');
    bodyOf(await save({ ID: provider.ID }, { PrivateKey: pemOf(team) }));
    assert.notEqual((await enter('a3')).token, '');
    assert.notEqual(pemOf(old), pemOf(team));
  });

  test('Sso_SaveProvider takes a private key with its names, for Apple only, and sends it to no other issuer', async () => {
    const PrivateKey = pemOf(pair());
    const draft = { Name: 'Draft', ClientID: 'draft' };
    const cases: ReadonlyArray<readonly [object, object, string]> = [
      [{ ...draft, TeamID: 'T' }, { PrivateKey }, 'Provider.KeyID is required with PrivateKey'],
      [{ ...draft, KeyID: 'K' }, { PrivateKey }, 'Provider.TeamID is required with PrivateKey'],
      [
        { ...draft, ...named },
        { Secret: 'x' },
        'PrivateKey is required with Provider.KeyID and Provider.TeamID',
      ],
      [
        { ...draft, ...named, Preset: 'google' },
        { Secret: 'x' },
        'Provider.KeyID and Provider.TeamID must be empty without Preset apple',
      ],
      [{ ...draft, Preset: '' }, { PrivateKey }, 'PrivateKey must be empty without Preset apple'],
      [
        { ...draft, ...named, TokenAuthMethod: 'client_secret_basic' },
        { PrivateKey },
        'Provider.TokenAuthMethod must be client_secret_post with PrivateKey',
      ],
      [
        { ...draft, ...named },
        { PrivateKey: 'x' },
        'PrivateKey must be a P-256 private key in PEM, without a password',
      ],
      [
        { ...draft, ...named },
        { PrivateKey, Secret: 'x' },
        'Secret and PrivateKey cannot both be sent',
      ],
      [
        { ...named, ID: provider.ID, Issuer: `${op.issuer}/other` },
        {},
        'PrivateKey is required with Provider.KeyID and Provider.TeamID',
      ],
    ];
    for (const [fields, secret, message] of cases) {
      const refused = await save(fields, secret);
      assertRefused(refused, 400, 'invalid_argument');
      const { Messages } = refused.body as { Messages: string[] };
      assert.ok(Messages.includes(message), JSON.stringify(Messages));
    }
    // A provider with a fixed secret works as before, and takes a key later.
    const fixed = recordIn(await save(draft, { Secret: 'a JWT' }), 'Provider') as ProviderRecord;
    bodyOf(await save({ ...draft, ...named, ID: fixed.ID }, { PrivateKey }));
    bodyOf(await stack.call('Sso_DeleteProvider', { ID: fixed.ID }, stack.platformKey));
  });
}
