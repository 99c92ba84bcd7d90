import { Buffer } from 'node:buffer';
import { SAML, type SamlConfig, ValidateInResponseTo } from '@node-saml/node-saml';
import { getVerifiedXml } from '@node-saml/node-saml/lib/xml.js';
import { answerInvalid, parseAnswer } from './answer.ts';
import type { SamlProvider } from './provider.ts';
import { findChild, type XmlElement } from './xml.ts';

// node-saml only makes requests and metadata, and verifies and decrypts answers. The assertion's
// request, audience and validity are checked here, in the verified content: node-saml keeps
// requests in one process's memory, does not take a clock, and accepts answers without these
// values.

const nowhere = {
  saveAsync: () => Promise.resolve(null),
  getAsync: () => Promise.resolve(null),
  removeAsync: () => Promise.resolve(null),
};

export const createLibrary = (provider: SamlProvider, options: Partial<SamlConfig> = {}): SAML =>
  new SAML({
    issuer: provider.spEntityId,
    callbackUrl: provider.acsUrl,
    entryPoint: provider.idpSsoUrl,
    idpCert: [...provider.idpCertificates],
    idpIssuer: provider.idpEntityId,
    privateKey: provider.spPrivateKey,
    publicCert: provider.spCertificate,
    decryptionPvk: provider.spPrivateKey,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    // The provider chooses the NameID format and the authentication method.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    audience: false,
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
    cacheProvider: nowhere,
    ...options,
  });

/**
 * The assertion, parsed from the bytes that its signature covers. If the Response is signed too,
 * that signature must also be valid.
 */
export async function verifyAnswer(
  text: string,
  response: XmlElement,
  provider: SamlProvider,
): Promise<XmlElement> {
  const isSigned = findChild(response, 'ds:Signature') !== undefined;
  const library = createLibrary(provider, { wantAuthnResponseSigned: isSigned });
  return parseAnswer(await verify(library, text));
}

async function verify(library: SAML, text: string): Promise<string> {
  let verified: string | undefined;
  try {
    const { profile } = await library.validatePostResponseAsync({
      SAMLResponse: Buffer.from(text).toString('base64'),
    });
    verified = profile?.getAssertionXml?.();
  } catch (error) {
    throw answerInvalid(explain(error));
  }
  if (!verified) throw answerInvalid('The answer has no assertion.');
  return verified;
}

/**
 * An element, parsed from the bytes that its own signature covers. Verifies what `verifyAnswer` does
 * not: node-saml decrypts no CBC.
 */
export function verifyElement(
  text: string,
  element: XmlElement,
  { idpCertificates }: SamlProvider,
  what: 'Response' | 'assertion',
): XmlElement {
  const verified = verifiedBy(text, element, ...idpCertificates);
  if (verified === null) throw answerInvalid(notOurs(what));
  return parseAnswer(verified);
}

/** The text that the element's own signature covers; null if no key of the certificates made it. */
export function verifiedBy(
  text: string,
  element: XmlElement,
  ...certificates: readonly string[]
): string | null {
  try {
    // Deno has the types of a browser's elements, of which the library needs few.
    const signed = element as Parameters<typeof getVerifiedXml>[1];
    return getVerifiedXml(text, signed, [...certificates]);
  } catch {
    return null;
  }
}

const notOurs = (what: string): string =>
  `The signature of the ${what} is not from any of the certificates that are configured for the provider, or the ${what} was changed.`;

/** Explains a node-saml error without its message, which contains parts of the answer. */
function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('Error parsing'))
    return 'The assertion does not say until when it is valid, or not as a time in UTC.';
  if (/document signature/.test(message)) return notOurs('Response');
  if (/signature/i.test(message)) return notOurs('assertion');
  return 'The answer cannot be verified.';
}
