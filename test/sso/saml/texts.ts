import { createHash, createSign } from 'node:crypto';
import { promisify } from 'node:util';
import { encrypt as encryptXml } from 'xml-encryption';

// SAML responses as text in canonical form: sorted attributes, no whitespace, no empty tags. The
// digest is then the digest of the text, and the tests use none of the product's XML code.

export type Person = {
  nameId: string;
  nameIdFormat?: string;
  attributes: Record<string, readonly string[]>;
};
export type Keys = { privateKey: string; certificate: string };

export const escapeXml = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
  );
const escapeText = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
export const bare = (certificate: string): string =>
  certificate.replace(/-----[A-Z ]+-----|\s/g, '');

/** How the provider says that it authenticates. */
export const passwordContext = 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password';
export const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const saml = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const ds = 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export type AssertionParts = {
  id: string;
  issuer: string;
  audience: string;
  recipient: string;
  inResponseTo: string | undefined;
  now: Date;
  person: Person;
  /** XML that replaces the default element. */
  nameId?: string;
  subject?: string;
  confirmation?: string;
  conditions?: string;
  statement?: string;
  issuerElement?: string;
  minutes?: { from: number; to: number };
};

const at = (now: Date, minutes: number): string =>
  new Date(now.getTime() + minutes * 60_000).toISOString();

export function assertionText(parts: AssertionParts): string {
  const { id, now, person, minutes = { from: -1, to: 5 } } = parts;
  const until = at(now, minutes.to);
  const answers = parts.inResponseTo === undefined ? '' : ` InResponseTo="${parts.inResponseTo}"`;
  const confirmation =
    parts.confirmation ??
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData${answers} NotOnOrAfter="${until}" Recipient="${parts.recipient}"></saml:SubjectConfirmationData></saml:SubjectConfirmation>`;
  const nameId =
    parts.nameId ??
    `<saml:NameID Format="${person.nameIdFormat ?? persistent}">${escapeText(person.nameId)}</saml:NameID>`;
  const conditions =
    parts.conditions ??
    `<saml:Conditions NotBefore="${at(now, minutes.from)}" NotOnOrAfter="${until}"><saml:AudienceRestriction><saml:Audience>${parts.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`;
  const statement =
    parts.statement ??
    `<saml:AuthnStatement AuthnInstant="${at(now, 0)}" SessionIndex="s1"><saml:AuthnContext><saml:AuthnContextClassRef>${passwordContext}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
  return [
    `<saml:Assertion ${saml} ID="${id}" IssueInstant="${at(now, 0)}" Version="2.0">`,
    parts.issuerElement ?? `<saml:Issuer>${parts.issuer}</saml:Issuer>`,
    parts.subject ?? `<saml:Subject>${nameId}${confirmation}</saml:Subject>`,
    conditions,
    statement,
    attributesText(person),
    '</saml:Assertion>',
  ].join('');
}

function attributesText({ attributes }: Person): string {
  const texts = Object.entries(attributes).map(([name, values]) => {
    const valueTexts = values.map(
      (entry) => `<saml:AttributeValue>${escapeText(entry)}</saml:AttributeValue>`,
    );
    return `<saml:Attribute Name="${name}">${valueTexts.join('')}</saml:Attribute>`;
  });
  return texts.length === 0
    ? ''
    : `<saml:AttributeStatement>${texts.join('')}</saml:AttributeStatement>`;
}

export type ResponseParts = {
  id: string;
  issuer: string;
  destination: string | undefined;
  inResponseTo: string | undefined;
  now: Date;
  status?: string;
  before?: string;
};

export function responseText(parts: ResponseParts, inner: string): string {
  const destination = parts.destination === undefined ? '' : ` Destination="${parts.destination}"`;
  const answers = parts.inResponseTo === undefined ? '' : ` InResponseTo="${parts.inResponseTo}"`;
  const status =
    parts.status ??
    '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode>';
  return [
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"${destination} ID="${parts.id}"${answers} IssueInstant="${at(parts.now, 0)}" Version="2.0">`,
    `<saml:Issuer ${saml}>${parts.issuer}</saml:Issuer>`,
    `${parts.before ?? ''}<samlp:Status>${status}</samlp:Status>${inner}</samlp:Response>`,
  ].join('');
}

export type Signing = {
  keys: Keys;
  method?: string;
  digest?: { algorithm: string; hash: string };
  transforms?: string;
  canonicalisation?: string;
  /** The URI of the reference, and the text of its digest. */
  uri?: string;
  digested?: string;
  keyInfo?: string;
  references?: number;
  signValue?: (info: string) => string;
};

export const transform = (algorithm: string): string =>
  `<ds:Transform Algorithm="${algorithm}"></ds:Transform>`;
export const usualTransforms =
  transform('http://www.w3.org/2000/09/xmldsig#enveloped-signature') + transform(exclusive);

/** A signature over a canonical text without a signature. */
export function signatureOf(text: string, signing: Signing): string {
  const { algorithm, hash } = signing.digest ?? {
    algorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
    hash: 'sha256',
  };
  const uri = signing.uri ?? `#${/ ID="([^"]*)"/.exec(text)?.[1]}`;
  const digest = createHash(hash)
    .update(signing.digested ?? text)
    .digest('base64');
  const reference = `<ds:Reference URI="${uri}"><ds:Transforms>${signing.transforms ?? usualTransforms}</ds:Transforms><ds:DigestMethod Algorithm="${algorithm}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>`;
  const method = signing.method ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
  const signedInfo = `<ds:CanonicalizationMethod Algorithm="${signing.canonicalisation ?? exclusive}"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${method}"></ds:SignatureMethod>${reference.repeat(signing.references ?? 1)}`;
  const signed = `<ds:SignedInfo ${ds}>${signedInfo}</ds:SignedInfo>`;
  const name = method.endsWith('#rsa-sha1') ? 'RSA-SHA1' : 'RSA-SHA256';
  const signature =
    signing.signValue?.(signed) ??
    createSign(name).update(signed).sign(signing.keys.privateKey, 'base64');
  const keyInfo =
    signing.keyInfo ??
    `<ds:X509Data><ds:X509Certificate>${bare(signing.keys.certificate)}</ds:X509Certificate></ds:X509Data>`;
  return `<ds:Signature ${ds}><ds:SignedInfo>${signedInfo}</ds:SignedInfo><ds:SignatureValue>${signature}</ds:SignatureValue><ds:KeyInfo>${keyInfo}</ds:KeyInfo></ds:Signature>`;
}

/** Inserts the signature after the Issuer. */
export const putSignature = (text: string, signature: string): string =>
  text.replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
export const signText = (text: string, signing: Signing): string =>
  putSignature(text, signatureOf(text, signing));

export type Encryption = { certificate: string; content?: string; key?: string };
const encrypt = promisify(encryptXml);

export async function encryptText(
  text: string,
  { certificate, content = 'http://www.w3.org/2009/xmlenc11#aes256-gcm', key }: Encryption,
): Promise<string> {
  const options = {
    rsa_pub: certificate,
    pem: certificate,
    encryptionAlgorithm: content as 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
    keyEncryptionAlgorithm: (key ??
      'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p') as 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
    disallowEncryptionWithInsecureAlgorithm: false,
    warnInsecureAlgorithm: false,
  };
  return `<saml:EncryptedAssertion ${saml}>${canonical(await encrypt(text, options))}</saml:EncryptedAssertion>`;
}

/** The library's text in the form that signatures cover: no short tags, and namespaces first. */
const canonical = (text: string): string =>
  text
    .replace(/<([\w:]+)( [^<>]*?) ?\/>/g, '<$1$2></$1>')
    .replace(/( Type="[^"]*")( xmlns:xenc="[^"]*")/, '$2$1');
