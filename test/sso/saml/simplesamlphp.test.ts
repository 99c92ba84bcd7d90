import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { readIdpMetadata } from '@bailiwick/sso/saml/metadata.ts';
import { assertPersistentNameId } from '@bailiwick/sso/saml/person.ts';
import type { SamlProvider } from '@bailiwick/sso/saml/provider.ts';
import { createSaml, type SamlIdentity } from '@bailiwick/sso/saml/saml.ts';
import { spMetadata } from '@bailiwick/sso/saml/sp-metadata.ts';
import { formOf, startBrowser } from '../browse.ts';
import {
  findSimpleSamlPhp,
  logIn,
  notInstalled,
  type SamlPerson,
  type SimpleSamlPhp,
  startSimpleSamlPhp,
} from './simplesamlphp.ts';

const skip = findSimpleSamlPhp() === undefined && notInstalled;
const saml = createSaml();
const people: SamlPerson[] = [
  {
    user: 'ada',
    password: 'engine',
    attributes: {
      mail: ['ada@corp.example'],
      displayName: ['Ada Lovelace'],
      groups: ['staff', 'engineers & poets'],
    },
  },
  { user: 'mary', password: 'novel', attributes: { mail: ['mary@corp.example'] } },
];
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
let count = 0;

describe('a SAML sign-in at SimpleSAMLphp', { skip }, () => {
  const idps: SimpleSamlPhp[] = [];
  let idp: SimpleSamlPhp;
  let keys: { privateKey: string; certificate: string };

  /** The service settings. SimpleSAMLphp has its own settings for each `name`. */
  const service = (name: string) => ({
    spEntityId: `https://bailiwick.example/auth/t/${name}/metadata`,
    acsUrl: `https://bailiwick.example/auth/t/${name}/callback`,
    spPrivateKey: keys.privateKey,
    spCertificate: keys.certificate,
    wantEncrypted: true,
  });
  const providerFor = (name: string, from: SimpleSamlPhp = idp): SamlProvider => ({
    ...readIdpMetadata(from.metadataXml),
    ...service(name),
  });
  const metadataFor = (name: string) =>
    spMetadata({
      ...service(name),
      idpEntityId: '',
      idpSsoUrl: '',
      idpCertificates: [],
      requestBinding: 'redirect',
    });

  before(async () => {
    keys = await createSpCertificate('Bailiwick');
    const encrypted = { metadata: metadataFor('encrypted'), encrypts: true };
    const sps = [
      { metadata: metadataFor('plain') },
      { metadata: metadataFor('transient'), nameIdFormat: transient },
      encrypted,
    ];
    for (const encryptsWithGcm of [false, true])
      idps.push(await startSimpleSamlPhp({ sps, people, encryptsWithGcm }));
    [idp] = idps as [SimpleSamlPhp];
  });
  after(() => Promise.all(idps.map(({ stop }) => stop())));

  async function signIn(
    provider: SamlProvider,
    [person]: readonly SamlPerson[] = people,
  ): Promise<SamlIdentity> {
    const requestId = `_request-${++count}`;
    const relayState = `state-${count}`;
    const request = await saml.begin(provider, { requestId, relayState });
    const browser = startBrowser();
    const login =
      'redirect' in request
        ? await browser.open(request.redirect)
        : await browser.send({ action: request.url, method: 'post', fields: request.form });
    assert.match(login.text, /name="password"/, login.text);
    const form = formOf(await logIn(browser, login, person as SamlPerson));
    assert.equal(form.action, provider.acsUrl);
    assert.equal(form.fields.RelayState, relayState);
    return saml.finish(provider, { requestId }, form.fields);
  }

  for (const requestBinding of ['redirect', 'post'] as const) {
    test(`returns the user, with a request by ${requestBinding}`, async () => {
      const provider = { ...providerFor('plain'), requestBinding };
      const { issuer, subject, claims, expiresAt } = await signIn(provider);
      assert.equal(issuer, idp.entityId);
      assert.deepEqual(
        { ...claims },
        {
          uid: 'ada',
          ...claims,
          mail: 'ada@corp.example',
          displayName: 'Ada Lovelace',
          groups: ['staff', 'engineers & poets'],
          nameID: subject,
        },
      );
      assert.equal(claims.nameIDFormat, 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent');
      assert.ok(expiresAt.getTime() > Date.now());
      assert.equal((await signIn(provider)).subject, subject);
      const other = await signIn(provider, people.slice(1));
      assert.equal(other.claims.mail, 'mary@corp.example');
      assert.notEqual(other.subject, subject);
    });
  }

  test('returns the user of an assertion encrypted with AES-GCM', async () => {
    const [, encrypting] = idps;
    const { claims } = await signIn(providerFor('encrypted', encrypting));
    assert.equal(claims.mail, 'ada@corp.example');
  });

  test('returns the user of an assertion encrypted with AES-CBC in its signed Response', async () => {
    const { claims } = await signIn(providerFor('encrypted'));
    assert.equal(claims.mail, 'ada@corp.example');
  });

  test('fails with a hint to use persistent names if the NameID is transient', async () => {
    const asserted = await signIn(providerFor('transient'));
    assert.equal(asserted.claims.nameIDFormat, transient);
    assert.throws(() => assertPersistentNameId(asserted), {
      reason: 'ANSWER_INVALID',
      detail: /transient.*persistent/,
    });
  });

  for (const requestBinding of ['redirect', 'post'] as const) {
    test(`fails at the provider if another key signed the request by ${requestBinding}`, async () => {
      const { privateKey } = await createSpCertificate('Stranger');
      const request = await saml.begin(
        { ...providerFor('plain'), requestBinding, spPrivateKey: privateKey },
        { requestId: '_stranger', relayState: 'x' },
      );
      const browser = startBrowser();
      const page =
        'redirect' in request
          ? await browser.open(request.redirect)
          : await browser.send({ action: request.url, method: 'post', fields: request.form });
      assert.doesNotMatch(page.text, /name="password"/);
      assert.match(page.text, /Unable to validate signature/i);
    });
  }

  test('fails at the provider with a wrong password', async () => {
    await assert.rejects(
      signIn(providerFor('plain'), [{ ...(people[0] as SamlPerson), password: 'wrong' }]),
      assert.AssertionError,
    );
  });
});
