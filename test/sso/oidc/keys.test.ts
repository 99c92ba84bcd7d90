import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newFlow, providerOf, refusalOf, startClient } from './client.ts';
import { evilAccount, startEvilOp } from './evil-op.ts';
import type { Forgery } from './forgeries/forgery.ts';
import { signToken } from './jwt.ts';

// The keys that a provider publishes, replaces and lists.

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
      discovery: (metadata) => void (metadata['id_token_signing_alg_values_supported'] = ['ES256']),
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
