import { answerInvalid, quote } from './answer.ts';
import { assertOnce } from './shape.ts';
import {
  attributesOf,
  childrenNamed,
  childrenOf,
  findAttribute,
  findChild,
  findText,
  type XmlElement,
  type XmlName,
} from './xml.ts';

// The accepted form of a signature. node-saml verifies it afterwards, with the provider's
// certificates only; alone it would also accept SHA-1 and other transforms and canonicalisations.

const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const methods = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
];
const digests = [
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
];

/** Asserts that an element's signature covers the whole element and uses no outdated algorithm. */
export function assertSignature(signed: XmlElement, what: string): void {
  const signature = findChild(signed, 'ds:Signature');
  if (!signature) throw answerInvalid(`The ${what} is not signed.`);
  assertOnce(signature, ['ds:SignedInfo', 'ds:SignatureValue', 'ds:KeyInfo']);
  const signedInfo = getChild(signature, 'ds:SignedInfo');
  assertOnce(signedInfo, ['ds:CanonicalizationMethod', 'ds:SignatureMethod', 'ds:Reference']);
  assertBase64(getChild(signature, 'ds:SignatureValue'));
  assertCanonical(getChild(signedInfo, 'ds:CanonicalizationMethod'), what);
  assertMethod(getChild(signedInfo, 'ds:SignatureMethod'), what);
  assertReference(getChild(signedInfo, 'ds:Reference'), signed, what);
}

function assertMethod(method: XmlElement, what: string): void {
  const algorithm = algorithmOf(method);
  if (/#ecdsa-/.test(algorithm))
    throw answerInvalid(
      `The ${what} is signed with ECDSA, which is not supported: let the provider sign with RSA and SHA-256.`,
    );
  if (!methods.includes(algorithm) || childrenOf(method).length > 0)
    throw answerInvalid(
      `The ${what} is signed with ${quote(algorithm)}: let the provider sign with RSA and SHA-256 or SHA-512.`,
    );
}

function assertReference(reference: XmlElement, signed: XmlElement, what: string): void {
  if (findAttribute(reference, 'URI') !== `#${signed.getAttribute('ID')}`)
    throw answerInvalid(`The signature in the ${what} is not over the ${what}.`);
  assertOnce(reference, ['ds:Transforms', 'ds:DigestMethod', 'ds:DigestValue']);
  const transforms = getChild(reference, 'ds:Transforms');
  assertOnce(transforms, [], ['ds:Transform']);
  const [first, second, ...more] = childrenNamed(transforms, 'ds:Transform');
  if (
    !first ||
    !second ||
    more.length > 0 ||
    algorithmOf(first) !== enveloped ||
    childrenOf(first).length > 0
  )
    throw answerInvalid(
      `The signature in the ${what} transforms it in a way that is not accepted: enveloped signature and exclusive canonicalisation are.`,
    );
  assertCanonical(second, what);
  const digest = getChild(reference, 'ds:DigestMethod');
  if (!digests.includes(algorithmOf(digest)) || childrenOf(digest).length > 0)
    throw answerInvalid(
      `The digest in the ${what} is ${quote(algorithmOf(digest))}: let the provider use SHA-256 or SHA-512.`,
    );
  assertBase64(getChild(reference, 'ds:DigestValue'));
}

function assertCanonical(method: XmlElement, what: string): void {
  const isPlain = childrenOf(method).every(
    (child) => child.localName === 'InclusiveNamespaces' && child.namespaceURI === exclusive,
  );
  if (algorithmOf(method) !== exclusive || !isPlain || childrenOf(method).length > 1)
    throw answerInvalid(
      `The ${what} is canonicalised with ${quote(algorithmOf(method))}: exclusive canonicalisation without comments is accepted.`,
    );
}

function assertBase64(element: XmlElement): void {
  if (!/^[A-Za-z0-9+/=\s]+$/.test(findText(element) ?? ''))
    throw answerInvalid(`The ${element.localName} is not base64.`);
}

function getChild(parent: XmlElement, name: XmlName): XmlElement {
  const child = findChild(parent, name);
  if (!child) throw answerInvalid(`The signature has no ${name.split(':')[1]}.`);
  return child;
}

/**
 * The only Algorithm attribute. A second one in another namespace could be the one that a library
 * reads.
 */
function algorithmOf(method: XmlElement): string {
  const attributes = attributesOf(method).filter(
    ({ name }) => name.split(':').at(-1) === 'Algorithm',
  );
  return attributes.length === 1 ? (findAttribute(method, 'Algorithm') ?? '') : '';
}
