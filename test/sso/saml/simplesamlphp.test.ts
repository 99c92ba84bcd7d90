import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { readIdpMetadata, spMetadata } from '@bailiwick/sso/saml/metadata.ts';
import { assertLasting } from '@bailiwick/sso/saml/person.ts';
import { createSaml, type SamlAsserted, type SamlProvider } from '@bailiwick/sso/saml/saml.ts';
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
let asked = 0;

describe('SimpleSAMLphp', { skip }, () => {
  const idps: SimpleSamlPhp[] = [];
  let idp: SimpleSamlPhp;
  let keys: { privateKey: string; certificate: string };

  /** What an administrator would configure. `name` parts services that the provider treats each in its way. */
  const service = (name: string) => ({
    spEntityId: `https://bailiwick.example/auth/t/${name}/metadata`,
    acsUrl: `https://bailiwick.example/auth/t/${name}/callback`,
    spPrivateKey: keys.privateKey,
    spCertificate: keys.certificate,
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
  ): Promise<SamlAsserted> {
    const requestId = `_request-${++asked}`;
    const relayState = `state-${asked}`;
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
    test(`tells who has signed in, asked by ${requestBinding}`, async () => {
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

  test('tells it encrypted, with AES-GCM', async () => {
    const [, encrypting] = idps;
    const { claims } = await signIn(providerFor('encrypted', encrypting));
    assert.equal(claims.mail, 'ada@corp.example');
  });

  test('is told what to change where it encrypts with AES-CBC', async () => {
    await assert.rejects(signIn(providerFor('encrypted')), {
      reason: 'ANSWER_INVALID',
      detail: /encrypted with "http.*aes128-cbc": let the provider use AES-GCM/,
    });
  });

  test('is told what to change where its names do not last', async () => {
    const asserted = await signIn(providerFor('transient'));
    assert.equal(asserted.claims.nameIDFormat, transient);
    assert.throws(() => assertLasting(asserted), {
      reason: 'ANSWER_INVALID',
      detail: /transient.*persistent/,
    });
  });

  for (const requestBinding of ['redirect', 'post'] as const) {
    test(`refuses a request by ${requestBinding} that another key has signed`, async () => {
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

  test('refuses a wrong password, and tells nothing', async () => {
    await assert.rejects(
      signIn(providerFor('plain'), [{ ...(people[0] as SamlPerson), password: 'wrong' }]),
      assert.AssertionError,
    );
  });
});
