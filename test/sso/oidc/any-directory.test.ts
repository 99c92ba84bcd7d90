import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newFlow, providerOf, refusalOf, startClient } from './client.ts';
import { answerAs, anyDirectory, directories, issuerOf } from './directories.ts';
import { evilAccount, startEvilOp } from './evil-op.ts';

// An issuer for all directories, such as Entra ID.

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
    const findings = await oidc.check(plain, new AbortController().signal);
    assert.equal(findings[0]?.level, 'error');
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
