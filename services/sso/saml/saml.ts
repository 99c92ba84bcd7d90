import type { AssertedIdentity } from '../results.ts';
import { answerInvalid, decodeAnswer, parseAnswer } from './answer.ts';
import { assertAssertionValid } from './assertion.ts';
import { decryptAssertion, usesCbc } from './decrypt.ts';
import { createLibrary, verifyAnswer, verifyElement } from './library.ts';
import { readPerson } from './person.ts';
import type { SamlProvider } from './provider.ts';
import { assertResponse } from './response.ts';
import { assertDecrypted, readShape, type Shape } from './shape.ts';
import { assertSignature } from './signature.ts';
import { findChild, type XmlElement } from './xml.ts';

// SAML 2.0 web browser SSO: requests by redirect or POST, answers by POST.

type SamlRequest = { redirect: string } | { url: string; form: Record<string, string> };

/** `expiresAt`: how long the assertion id must be remembered to prevent a replay. */
export type SamlIdentity = AssertedIdentity & { assertionId: string; expiresAt: Date };

type AuthnRequestIds = { requestId: string; relayState: string };

export type Saml = {
  /** A signed request with the given id. */
  begin(provider: SamlProvider, ids: AuthnRequestIds): Promise<SamlRequest>;
  /**
   * The verified person of an answer. Without a request id the answer must be unsolicited. The
   * caller must check for replays.
   */
  finish(
    provider: SamlProvider,
    flow: { requestId: string | undefined },
    parameters: Record<string, string>,
    now?: Date,
  ): Promise<SamlIdentity>;
};

export const createSaml = (): Saml => ({ begin, finish });

async function begin(
  provider: SamlProvider,
  { requestId, relayState }: AuthnRequestIds,
): Promise<SamlRequest> {
  // SAML allows 80 bytes. node-saml encodes other characters differently in its two query
  // encodings.
  if (!/^[\w.-]{1,80}$/.test(relayState))
    throw new Error('a relay state is 1 to 80 letters, digits, "_", "-" and "."');
  if (!/^[A-Za-z_][\w.-]{0,127}$/.test(requestId)) throw new Error('a request id is an NCName');
  const library = createLibrary(provider, {
    generateUniqueId: () => requestId,
    skipRequestCompression: provider.requestBinding === 'post',
  });
  if (provider.requestBinding === 'redirect')
    return { redirect: await library.getAuthorizeUrlAsync(relayState, undefined, {}) };
  const message = await library.getAuthorizeMessageAsync(relayState, undefined, {});
  return {
    url: provider.idpSsoUrl,
    form: { SAMLRequest: String(message.SAMLRequest), RelayState: relayState },
  };
}

async function finish(
  provider: SamlProvider,
  { requestId }: { requestId: string | undefined },
  parameters: Record<string, string>,
  now: Date = new Date(),
): Promise<SamlIdentity> {
  const text = decodeAnswer(parameters);
  const shape = readShape(parseAnswer(text));
  assertResponse(shape.response, provider, requestId);
  const isSigned = findChild(shape.response, 'ds:Signature') !== undefined;
  if (isSigned) assertSignature(shape.response, 'Response');
  const assertion =
    shape.encrypted && isSigned && usesCbc(shape.encrypted)
      ? await openVerified(text, shape, provider)
      : await verifyOpened(text, shape, provider);
  const assertionId = assertion.getAttribute('ID') ?? '';
  const expiresAt = assertAssertionValid(assertion, { provider, requestId, now });
  return { ...readPerson(assertion, provider.idpEntityId), assertionId, expiresAt };
}

/** The verified assertion of an answer whose Response may be unsigned. */
async function verifyOpened(
  text: string,
  shape: Shape,
  provider: SamlProvider,
): Promise<XmlElement> {
  const unverified = await getAssertion(shape, provider);
  assertSignature(unverified, 'assertion');
  const assertion = await verifyAnswer(text, shape.response, provider);
  if (assertion.getAttribute('ID') !== unverified.getAttribute('ID'))
    throw answerInvalid('The signature in the assertion is not over the assertion.');
  return assertion;
}

/**
 * The verified assertion of an answer that is encrypted with CBC: the signature of the Response is
 * verified first, and its verified content is decrypted.
 */
async function openVerified(
  text: string,
  shape: Shape,
  provider: SamlProvider,
): Promise<XmlElement> {
  const { response, encrypted } = readShape(
    verifyElement(text, shape.response, provider, 'Response'),
  );
  if (!encrypted) throw answerInvalid('The answer has no assertion.');
  const opened = await decryptAssertion(encrypted, provider.spPrivateKey, true);
  assertDecrypted(opened.assertion, { response });
  assertSignature(opened.assertion, 'assertion');
  return verifyElement(opened.text, opened.assertion, provider, 'assertion');
}

/** Returns the assertion before it is verified. */
async function getAssertion(shape: Shape, provider: SamlProvider): Promise<XmlElement> {
  if (shape.assertion) return shape.assertion;
  if (!shape.encrypted) throw answerInvalid('The answer has no assertion.');
  const { assertion } = await decryptAssertion(shape.encrypted, provider.spPrivateKey, false);
  assertDecrypted(assertion, shape);
  return assertion;
}
