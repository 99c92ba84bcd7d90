import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OidcClient, providerOf, refusalOf, startClient } from './client.ts';
import { type EvilOp, evilAccount, startEvilOp } from './evil-op.ts';
import type { Forgery } from './forgeries/forgery.ts';
import { failsWith, says } from './forgeries/responses.ts';
import { macToken, signToken, unsignedToken } from './jwt.ts';

// Claims from two sources: the ID token and userinfo.

const { clientSecret } = providerOf('');

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
