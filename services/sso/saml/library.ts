import { Buffer } from 'node:buffer';
import { SAML, type SamlConfig, ValidateInResponseTo } from '@node-saml/node-saml';
import { answerInvalid, parseAnswer } from './answer.ts';
import type { SamlProvider } from './saml.ts';
import { findChild, type XmlElement } from './xml.ts';

// All that is asked of node-saml: to make requests and metadata, and to verify and decrypt. Which sign-in an answer is for,
// whom and when it is for is looked at here, in what it has verified: its own record of requests is one process's, its clock
// cannot be given to it, and it takes answers that leave out what they are for.

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
    // Which name and which way to sign in is the provider's choice.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    audience: false,
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
    cacheProvider: nowhere,
    ...options,
  });

/** The assertion, from the bytes that its signature was verified over. A signature around it has to be right too, where there is one. */
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

/** Its messages hold what was in the answer. */
function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('Error parsing'))
    return 'The assertion does not say until when it is valid, or not as a time in UTC.';
  if (/document signature/.test(message))
    return 'The signature of the Response is not from any of the certificates that are configured for the provider, or the Response was changed.';
  if (/signature/i.test(message))
    return 'The signature of the assertion is not from any of the certificates that are configured for the provider, or the assertion was changed.';
  return 'The answer cannot be verified.';
}
