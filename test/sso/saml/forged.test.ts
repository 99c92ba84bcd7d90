import assert from 'node:assert/strict';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { SignInRefused } from '@bailiwick/sso/refusal.ts';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { readIdpMetadata } from '@bailiwick/sso/saml/metadata.ts';
import { assertPersistentNameId } from '@bailiwick/sso/saml/person.ts';
import type { SamlProvider } from '@bailiwick/sso/saml/provider.ts';
import { createSaml, type SamlIdentity } from '@bailiwick/sso/saml/saml.ts';
import { formOf, startBrowser } from '../browse.ts';
import { ada, type EvilIdp, startEvilIdp } from './evil-idp.ts';
import { forgeries } from './forgeries/forgeries.ts';

const saml = createSaml();
let idp: EvilIdp;
let provider: SamlProvider;
let count = 0;

before(async () => {
  idp = await startEvilIdp();
  const { privateKey, certificate } = await createSpCertificate('Bailiwick');
  provider = {
    ...readIdpMetadata(idp.metadataXml),
    spEntityId: 'https://bailiwick.example/auth/t/p/metadata',
    acsUrl: 'https://bailiwick.example/auth/t/p/callback',
    spPrivateKey: privateKey,
    spCertificate: certificate,
    wantEncrypted: false,
  };
});
after(() => idp?.stop());

/** Sends a request as a browser does, and returns the form fields of the provider's response. */
async function ask(
  binding: 'redirect' | 'post' = 'redirect',
): Promise<{ requestId: string; parameters: Record<string, string> }> {
  const requestId = `_request-${++count}`;
  const request = await saml.begin(
    { ...provider, requestBinding: binding },
    { requestId, relayState: `state-${count}` },
  );
  const browser = startBrowser();
  const page =
    'redirect' in request
      ? await browser.open(request.redirect)
      : await browser.send({ action: request.url, method: 'post', fields: request.form });
  assert.equal(page.status, 200, page.text);
  const form = formOf(page);
  assert.equal(form.action, provider.acsUrl);
  return { requestId, parameters: form.fields };
}

async function signIn(binding?: 'redirect' | 'post'): Promise<SamlIdentity> {
  const { requestId, parameters } = await ask(binding);
  assert.equal(parameters.RelayState, `state-${count}`);
  return saml.finish(provider, { requestId }, parameters);
}

async function refusalOf(attempt: Promise<unknown>): Promise<SignInRefused> {
  const outcome = await attempt.then(
    (response) => assert.fail(`the response was accepted: ${JSON.stringify(response)}`),
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof SignInRefused, String(outcome));
  return outcome;
}

describe('SAML accepts an honest response', () => {
  const expected = {
    mail: 'ada@corp.example',
    displayName: 'Ada Lovelace',
    groups: ['staff', 'engineers & poets'],
  };

  for (const binding of ['redirect', 'post'] as const) {
    for (const isEncrypted of [false, true]) {
      test(`to a request by ${binding}${isEncrypted ? ', encrypted' : ''}`, async () => {
        idp.encryptFor(isEncrypted ? provider.spCertificate : undefined);
        const { issuer, subject, claims, assertionId, expiresAt } = await signIn(binding);
        idp.encryptFor(undefined);
        assert.equal(issuer, idp.entityId);
        assert.equal(subject, ada.nameId);
        assert.deepEqual(
          { ...claims },
          {
            ...expected,
            nameID: ada.nameId,
            nameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
          },
        );
        assert.match(assertionId, /^_/);
        const remainingMs = expiresAt.getTime() - Date.now();
        assert.ok(remainingMs > 7 * 60_000 && remainingMs <= 8 * 60_000, `${remainingMs} ms`);
      });
    }
  }

  test('encrypted with CBC inside a signed Response', async () => {
    idp.encryptFor(provider.spCertificate, 'cbc');
    const { subject } = await signIn();
    idp.encryptFor(undefined);
    assert.equal(subject, ada.nameId);
  });

  test('signed with any of the configured certificates', async () => {
    const { certificate } = await createSpCertificate('next');
    const { requestId, parameters } = await ask();
    assert.equal(
      (
        await saml.finish(
          { ...provider, idpCertificates: [certificate, idp.certificate] },
          { requestId },
          parameters,
        )
      ).subject,
      ada.nameId,
    );
    const refusal = await refusalOf(
      saml.finish({ ...provider, idpCertificates: [certificate] }, { requestId }, parameters),
    );
    assert.match(refusal.detail, /not from any of the certificates/);
  });

  test('without a request, only if the sign-in is IdP-initiated', async () => {
    const query = new URLSearchParams({ acsUrl: provider.acsUrl, spEntityId: provider.spEntityId });
    const { fields } = formOf(
      await startBrowser().open(`${idp.unsolicitedUrl}?${query.toString()}`),
    );
    assert.equal(
      (await saml.finish(provider, { requestId: undefined }, fields)).subject,
      ada.nameId,
    );
    assert.match(
      (await refusalOf(saml.finish(provider, { requestId: '_some' }, fields))).detail,
      /answers no request/,
    );
    const { parameters } = await ask();
    assert.match(
      (await refusalOf(saml.finish(provider, { requestId: undefined }, parameters))).detail,
      /no sign-in waits for it/,
    );
  });

  test('twice, with the same assertion id for the replay check', async () => {
    const { requestId, parameters } = await ask();
    const [one, other] = [
      await saml.finish(provider, { requestId }, parameters),
      await saml.finish(provider, { requestId }, parameters),
    ];
    assert.deepEqual([other.assertionId, other.expiresAt], [one.assertionId, one.expiresAt]);
  });

  test('up to three minutes before and after its validity', async () => {
    const { requestId, parameters } = await ask();
    const { expiresAt } = await saml.finish(provider, { requestId }, parameters);
    const at = (ms: number) => saml.finish(provider, { requestId }, parameters, new Date(ms));
    await at(expiresAt.getTime() - 1);
    assert.match((await refusalOf(at(expiresAt.getTime()))).detail, /has expired/);
    await at(expiresAt.getTime() - 3 * 60_000 - 1);
    await at(expiresAt.getTime() - 3 * 60_000 - 6 * 60_000 - 120_000);
    assert.match(
      (await refusalOf(at(expiresAt.getTime() - 9 * 60_000 - 181_000))).detail,
      /made in the future|not valid yet/,
    );
  });
});

describe('SAML rejects a response with this forgery:', () => {
  for (const [name, { says, reason = 'ANSWER_INVALID' }] of Object.entries(forgeries)) {
    test(name, async () => {
      idp.encryptFor(undefined);
      assert.equal((await signIn()).subject, ada.nameId);
      // The forgeries that need encryption do it with the SP certificate.
      idp.encryptFor(provider.spCertificate);
      idp.arm(name);
      const { requestId, parameters } = await ask();
      idp.arm();
      const used = process.cpuUsage();
      const refusal = await refusalOf(saml.finish(provider, { requestId }, parameters));
      // CPU time of this process, so that a busy machine does not matter.
      const { user, system } = process.cpuUsage(used);
      assert.ok(user + system < 2_000_000, `${user + system} µs`);
      assert.match(refusal.detail, says);
      assert.equal(refusal.reason, reason);
      assert.doesNotMatch(refusal.detail, /ada@|admin|<|\n/);
    });
  }
});

test('a NameID that is absent, empty or not a text is no subject', async () => {
  const nameIds = [
    '',
    '<saml:NameID></saml:NameID>',
    '<saml:NameID>  </saml:NameID>',
    '<saml:NameID>admin<saml:x>y</saml:x></saml:NameID>',
  ];
  for (const nameId of nameIds) {
    idp.setNameId(nameId);
    const asserted = await signIn();
    assert.deepEqual([asserted.subject, asserted.claims.nameID], ['', undefined], nameId);
    assert.throws(() => assertPersistentNameId(asserted), /cannot be accepted/);
  }
  idp.setNameId(undefined);
});

test('SAML attributes cannot set a prototype, by any name', async () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'nameID', 'issuer'];
  idp.encryptFor(undefined);
  idp.setPerson({
    ...ada,
    attributes: Object.fromEntries(names.map((name) => [name, ['evil', 'more']])),
  });
  const { claims, subject, issuer } = await signIn();
  idp.setPerson(ada);
  assert.deepEqual([subject, issuer, claims.nameID], [ada.nameId, idp.entityId, ada.nameId]);
  assert.deepEqual(Object.keys(claims).sort(), ['issuer', 'nameID', 'nameIDFormat', 'toString']);
  assert.equal(Object.getPrototypeOf(claims), null);
  assert.equal(({} as Record<string, unknown>).evil, undefined);
});

test('SAML ignores other form fields, and reads no inherited properties', async () => {
  const { requestId, parameters } = await ask();
  await saml.finish(
    provider,
    { requestId },
    { ...parameters, SAMLRequest: 'x', SigAlg: 'x', Signature: 'x' },
  );
  assert.match(
    (
      await refusalOf(
        saml.finish(provider, { requestId }, Object.create(parameters) as Record<string, string>),
      )
    ).detail,
    /no SAMLResponse/,
  );
});
