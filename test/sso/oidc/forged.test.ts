import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { OidcProvider } from '@bailiwick/sso/oidc/oidc.ts';
import { newFlow, type OidcClient, providerOf, refusalOf, startClient } from './client.ts';
import { answerAs, anyDirectory, directories, issuerOf } from './directories.ts';
import { type EvilOp, evilAccount, startEvilOp } from './evil-op.ts';
import { type ForgeryName, forgeries } from './forgeries/forgeries.ts';
import type { Forgery } from './forgeries/forgery.ts';
import { failsWith, says } from './forgeries/responses.ts';
import { macToken, signToken, unsignedToken } from './jwt.ts';

const { clientSecret } = providerOf('');
/** Texts that a refusal must not contain. */
const forbidden = [clientSecret, evilAccount.email, 'eyJ', '<', '169.254'];

describe('OIDC rejects the sign-in if the provider answers with', () => {
  let op: EvilOp;
  let oidc: OidcClient;
  let provider: OidcProvider;
  before(async () => {
    op = await startEvilOp({ clientSecret });
    oidc = startClient({ totalMs: 3000 });
    provider = providerOf(op.issuer);
  });
  after(async () => {
    await oidc?.stop();
    await op?.stop();
  });

  async function signIn(): Promise<
    Awaited<ReturnType<Awaited<ReturnType<OidcClient['signIn']>>['finish']>>
  > {
    oidc.forget(op.issuer);
    return (await oidc.signIn(provider, '')).finish();
  }

  for (const [name, { reason = 'ANSWER_INVALID', detail = /./ }] of Object.entries(forgeries)) {
    test(name, async () => {
      op.arm();
      const { subject, claims } = await signIn();
      assert.deepEqual(
        [subject, claims['email'], claims['email_verified']],
        [evilAccount.sub, evilAccount.email, true],
      );
      op.arm(name as ForgeryName);
      const started = performance.now();
      const refusal = await refusalOf(signIn);
      assert.ok(performance.now() - started < 8000, `${performance.now() - started} ms`);
      assert.equal(refusal.reason, reason, refusal.detail);
      assert.match(refusal.detail, detail);
      for (const text of forbidden)
        assert.ok(!refusal.detail.includes(text) && !oidc.lines.join().includes(text), text);
      assert.deepEqual(
        op.requested().filter((path) => path.startsWith('/forged')),
        [],
      );
    });
  }
});

describe('the egress guard checks every URL of a provider:', () => {
  let op: EvilOp;
  let oidc: OidcClient;
  let target = '';
  const reached: string[] = [];
  const inside = createServer(({ url = '' }, response) => {
    reached.push(url);
    response.end('{}');
  });
  before(async () => {
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.2', resolve));
    target = `http://127.0.0.2:${(inside.address() as AddressInfo).port}`;
    op = await startEvilOp();
    oidc = startClient({ hosts: ['127.0.0.1'], cidrs: [] });
  });
  after(async () => {
    await oidc?.stop();
    await op?.stop();
    await new Promise((resolve) => inside.close(resolve));
  });

  for (const endpoint of [
    'token_endpoint',
    'jwks_uri',
    'userinfo_endpoint',
    'authorization_endpoint',
  ] as const) {
    test(`the ${endpoint}`, async () => {
      const signIn = async () => (await oidc.signIn(providerOf(op.issuer), '')).finish();
      op.arm();
      oidc.forget(op.issuer);
      assert.equal((await signIn()).subject, evilAccount.sub);
      oidc.forget(op.issuer);
      op.forge({
        discovery: (document) => void (document[endpoint] = `${target}/${endpoint}`),
        userinfo: () => {},
      });
      const { reason, detail } = await refusalOf(signIn);
      assert.equal(reason, 'ANSWER_INVALID');
      assert.match(detail, /address is not allowed|must begin with https/);
      assert.deepEqual(reached, []);
    });
  }

  test('redirects', async () => {
    for (const path of ['/.well-known/openid-configuration', '/keys', '/token', '/userinfo']) {
      oidc.forget(op.issuer);
      op.forge({
        userinfo: () => {},
        raw: { [path]: (response) => void response.writeHead(307, { location: target }).end() },
      });
      assert.match(
        (await refusalOf(async () => (await oidc.signIn(providerOf(op.issuer), '')).finish()))
          .detail,
        /redirects are not followed/,
        path,
      );
    }
    assert.deepEqual(reached, []);
  });

  test('the issuer', async () => {
    for (const issuer of [
      target,
      'http://169.254.169.254',
      'http://login.example.com',
      'https://10.0.0.1',
      'https://user:password@127.0.0.1',
      'file:///etc',
    ]) {
      assert.match(
        (await refusalOf(() => oidc.begin(providerOf(issuer), newFlow()))).detail,
        /^The issuer must/,
        issuer,
      );
    }
    assert.deepEqual(reached, []);
  });
});

test('OIDC rejects the response of another provider (mix-up attack)', async () => {
  const [honest, evil] = [await startEvilOp(), await startEvilOp()];
  const oidc = startClient();
  try {
    const flow = newFlow();
    // The user starts at the evil provider, which redirects to the honest one. The client must not
    // send the honest provider's code to the evil one.
    const authorizationUrl = new URL(await oidc.begin(providerOf(evil.issuer), flow));
    const { parameters } = await oidc.signIn(providerOf(honest.issuer), '');
    evil.arm();
    const mixedUp = () =>
      oidc.finish(
        providerOf(evil.issuer),
        flow,
        { ...parameters, state: authorizationUrl.searchParams.get('state') ?? '' },
        new AbortController().signal,
      );
    assert.match(
      (await refusalOf(mixedUp)).detail,
      /from another provider than the request went to/,
    );
    assert.deepEqual(evil.requested(), []);
  } finally {
    await oidc.stop();
    await honest.stop();
    await evil.stop();
  }
});

test('OIDC fetches the keys at most once a minute for unknown key ids', async () => {
  const op = await startEvilOp();
  const oidc = startClient();
  try {
    op.arm('an unknown kid');
    const refused = async () => refusalOf((await oidc.signIn(providerOf(op.issuer), '')).finish);
    for (const { detail } of await Promise.all([refused(), refused(), refused()]))
      assert.match(detail, /publishes no key/);
    assert.match((await refused()).detail, /publishes no key/);
    assert.equal(op.requested().filter((path) => path === '/keys').length, 2);
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

/** The provider publishes its other key under the same kid, and signs with it. */
const replacedKey: Forgery = {
  keys: (published, foreign) => void (published['keys'] = [foreign]),
  sign: (header, claims, { foreignKey }) => signToken(header, claims, foreignKey),
};

test('OIDC fetches the keys again if a provider replaces its key under the same kid', async () => {
  const op = await startEvilOp();
  const oidc = startClient();
  const signIn = async () => (await oidc.signIn(providerOf(op.issuer), '')).finish();
  const fetches = () => op.requested().filter((path) => path === '/keys').length;
  try {
    assert.equal((await signIn()).subject, evilAccount.sub);
    op.forge(replacedKey);
    const all = await Promise.all([signIn(), signIn(), signIn()]);
    assert.deepEqual([...new Set(all.map(({ subject }) => subject))], [evilAccount.sub]);
    assert.equal(fetches(), 1);
    // The old key counts no more, and its tokens cause no further fetch within the minute.
    op.forge({ keys: (published, foreign) => void (published['keys'] = [foreign]) });
    for (let times = 0; times < 3; times++)
      assert.match((await refusalOf(signIn)).detail, /signature of the ID token does not match/);
    assert.equal(fetches(), 0);
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

test('OIDC fetches the metadata again if a provider changes its algorithm', async () => {
  const op = await startEvilOp();
  const oidc = startClient();
  const provider = providerOf(op.issuer);
  try {
    op.forge({
      discovery: (found) => void (found['id_token_signing_alg_values_supported'] = ['ES256']),
    });
    await oidc.begin(provider, newFlow());
    op.arm();
    assert.equal((await (await oidc.signIn(provider, '')).finish()).subject, evilAccount.sub);
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

test('OIDC finds a key among thousands of invalid ones', async () => {
  const op = await startEvilOp();
  const oidc = startClient();
  try {
    op.forge({
      keys: (published) =>
        void (published['keys'] = [
          ...Array.from({ length: 40_000 }, () => ({})),
          ...(published['keys'] as object[]),
        ]),
    });
    assert.equal(
      (await (await oidc.signIn(providerOf(op.issuer), '')).finish()).subject,
      evilAccount.sub,
    );
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

test('OIDC accepts a provider’s clock that is up to three minutes slow or fast', async () => {
  const op = await startEvilOp();
  const oidc = startClient();
  const now = Math.floor(Date.now() / 1000);
  try {
    for (const times of [
      { iat: now - 450, exp: now - 150 },
      { iat: now + 150, nbf: now + 150, exp: now + 450 },
    ]) {
      op.forge({ token: (_header, claims) => void Object.assign(claims, times) });
      assert.equal(
        (await (await oidc.signIn(providerOf(op.issuer), '')).finish()).subject,
        evilAccount.sub,
      );
    }
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

test('OIDC ignores email_verified of the ID token for an address from userinfo', async () => {
  const op = await startEvilOp({ account: { ...evilAccount, email_verified: false } });
  const oidc = startClient();
  try {
    op.forge({
      userinfo: () => {},
      token: (_header, claims) => void (claims['email_verified'] = true),
    });
    const { claims } = await (await oidc.signIn(providerOf(op.issuer), '')).finish();
    assert.deepEqual([claims['email'], claims['email_verified']], [evilAccount.email, false]);
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

test('OIDC takes email_verified from userinfo for the address of the ID token', async () => {
  const op = await startEvilOp();
  const oidc = startClient();
  const signIn = async () => (await oidc.signIn(providerOf(op.issuer), '')).finish();
  const addressOnly: Forgery = {
    token: (_header, claims) => void Object.assign(claims, { email_verified: undefined }),
  };
  const { email } = evilAccount;
  try {
    for (const [userinfo, verified] of [
      [{ email: email.toUpperCase(), email_verified: true }, true],
      [{ email, email_verified: 'true' }, 'true'],
      [{ email, email_verified: false }, false],
      [{ email: 'ada@example.com', email_verified: true }, undefined],
      [{ email: [email], email_verified: true }, undefined],
      [{ email: undefined, email_verified: true }, undefined],
    ] as const) {
      const raw = answersUserinfo({ sub: evilAccount.sub, ...userinfo });
      op.forge({ ...addressOnly, raw });
      const { claims } = await signIn();
      assert.deepEqual([claims['email'], claims['email_verified']], [email, verified]);
    }
    op.forge({ ...addressOnly, raw: answersUserinfo({ ...evilAccount, sub: 'eve' }) });
    assert.match((await refusalOf(signIn)).detail, /another person/);
    // A known person needs no verified address.
    op.forge({ ...addressOnly, raw: { '/userinfo': failsWith(500) } });
    assert.equal((await signIn()).claims['email_verified'], undefined);
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

const answersUserinfo = (claims: object) => ({ '/userinfo': says(JSON.stringify(claims)) });

describe('OIDC reads userinfo that comes as a JWT', () => {
  let op: EvilOp;
  let oidc: OidcClient;
  before(async () => {
    op = await startEvilOp();
    oidc = startClient();
  });
  after(async () => {
    await oidc?.stop();
    await op?.stop();
  });
  const signIn = async () => (await oidc.signIn(providerOf(op.issuer), '')).finish();
  const answer = (signUserinfo: NonNullable<Forgery['signUserinfo']>, more: Forgery = {}) => {
    oidc.forget(op.issuer);
    op.forge({ userinfo: () => {}, signUserinfo, ...more });
  };

  test('signed by the provider', async () => {
    for (const more of [{}, { aud: 'bailiwick', iss: op.issuer }]) {
      answer((claims, { kid, key }) =>
        signToken({ alg: 'RS256', kid }, { ...claims, ...more }, key),
      );
      assert.equal((await signIn()).claims['email'], evilAccount.email);
    }
  });

  test('signed by a key that replaces another while the sign-in runs', async () => {
    let listed = 0;
    answer((claims, { kid, foreignKey }) => signToken({ alg: 'RS256', kid }, claims, foreignKey), {
      keys: (published, foreign) => void (listed++ > 0 && (published['keys'] = [foreign])),
    });
    assert.equal((await signIn()).claims['email'], evilAccount.email);
  });

  const forged: Record<string, [NonNullable<Forgery['signUserinfo']>, RegExp]> = {
    'another key': [
      (claims, { kid, foreignKey }) => signToken({ alg: 'RS256', kid }, claims, foreignKey),
      /signature of the userinfo response does not match/,
    ],
    'no signature': [(claims) => unsignedToken({ alg: 'none' }, claims), /algorithm/],
    'the client secret': [
      (claims) => macToken({ alg: 'HS256' }, claims, clientSecret),
      /algorithm/,
    ],
    'an unknown kid': [
      (claims, { key }) => signToken({ alg: 'RS256', kid: 'x' }, claims, key),
      /publishes no key, or several, for the signature of the userinfo response/,
    ],
    'another person': [
      (claims, { kid, key }) => signToken({ alg: 'RS256', kid }, { ...claims, sub: 'eve' }, key),
      /another person/,
    ],
    'another audience': [
      (claims, { kid, key }) => signToken({ alg: 'RS256', kid }, { ...claims, aud: 'x' }, key),
      /audience/,
    ],
    'another issuer': [
      (claims, { kid, key }) => signToken({ alg: 'RS256', kid }, { ...claims, iss: 'x' }, key),
      /another issuer/,
    ],
    'an end in the past': [
      (claims, { kid, key }) => signToken({ alg: 'RS256', kid }, { ...claims, exp: 1 }, key),
      /expired/,
    ],
    'a claim named constructor': [
      (claims, { kid, key }) =>
        signToken({ alg: 'RS256', kid }, { ...claims, constructor: {} }, key),
      /name that is not allowed/,
    ],
    'an encrypted response': [() => 'eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d', /encrypted/],
    'no JWT': [() => '<html>', /Invalid JWT/],
  };
  for (const [what, [sign, detail]] of Object.entries(forged))
    test(`but refuses ${what}`, async () => {
      answer(sign);
      const refusal = await refusalOf(signIn);
      assert.equal(refusal.reason, 'ANSWER_INVALID');
      assert.match(refusal.detail, detail);
    });
});

test('at an issuer for all directories, the ID token has to name its own directory in iss and tid', async () => {
  const op = await startEvilOp();
  const oidc = startClient();
  const [own, other] = directories;
  const provider = providerOf(anyDirectory(op.issuer), { anyDirectory: true });
  const signIn = async () => (await oidc.signIn(provider, '')).finish();
  try {
    for (const directory of directories) {
      op.forge(answerAs(op.issuer, directory));
      assert.equal((await signIn()).issuer, issuerOf(op.issuer, directory));
    }
    for (const claims of [
      { iss: issuerOf(op.issuer, other) },
      { iss: issuerOf(op.issuer, '{tenantid}') },
      { iss: `${issuerOf(op.issuer, own)}/` },
      { iss: op.issuer },
      { tid: other },
      { tid: undefined },
      { tid: [own] },
      { tid: 'common', iss: provider.issuer },
      { tid: '{tenantid}', iss: issuerOf(op.issuer, '{tenantid}') },
      { tid: '../x', iss: issuerOf(op.issuer, '../x') },
      { tid: own.toUpperCase(), iss: issuerOf(op.issuer, own.toUpperCase()) },
    ]) {
      op.forge(answerAs(op.issuer, own, claims));
      const { detail } = await refusalOf(signIn);
      const expected = /ID token (is from another issuer|names no directory)/;
      assert.match(detail, expected, JSON.stringify(claims));
    }
    // Other providers have one issuer.
    op.forge(answerAs(op.issuer, own));
    const plain = { ...provider, anyDirectory: false };
    const begin = () => oidc.begin(plain, newFlow());
    assert.match((await refusalOf(begin)).detail, /document is of another issuer/);
    const found = await oidc.check(plain, new AbortController().signal);
    assert.equal(found[0]?.level, 'error');
  } finally {
    await oidc.stop();
    await op.stop();
  }
});

test('at an issuer for all directories, a key that names a directory signs for no other one', async () => {
  const op = await startEvilOp();
  const oidc = startClient();
  const [own, other] = directories;
  const provider = providerOf(anyDirectory(op.issuer), { anyDirectory: true });
  try {
    for (const [named, isGood] of [
      [issuerOf(op.issuer, other), false],
      [issuerOf(op.issuer, own), true],
      [issuerOf(op.issuer, '{tenantid}'), true],
    ] as const) {
      oidc.forget(provider.issuer);
      const keys = (published: { keys?: unknown }) =>
        void Object.assign((published.keys as object[])[0] ?? {}, { issuer: named });
      op.forge({ ...answerAs(op.issuer, own), keys });
      const { finish } = await oidc.signIn(provider, '');
      if (isGood) assert.equal((await finish()).subject, evilAccount.sub);
      else assert.match((await refusalOf(finish)).detail, /publishes no key/);
    }
  } finally {
    await oidc.stop();
    await op.stop();
  }
});
