import type { Asserted } from '../sign-in/asserted.ts';
import { answerInvalid, decodeAnswer, parseAnswer } from './answer.ts';
import { assertMeant } from './assertion.ts';
import { decryptAssertion } from './decrypt.ts';
import { createLibrary, verifyAnswer } from './library.ts';
import { readPerson } from './person.ts';
import { assertResponse } from './response.ts';
import { assertDecrypted, readShape, type Shape } from './shape.ts';
import { assertSignature } from './signature.ts';
import { findChild, type XmlElement } from './xml.ts';

// SAML 2.0, web browser single sign-on: a request of ours by redirect or POST, an answer by POST.

export type SamlProvider = {
  idpEntityId: string;
  idpSsoUrl: string;
  /** PEM. More than one while the provider changes its key. */
  idpCertificates: readonly string[];
  spEntityId: string;
  acsUrl: string;
  requestBinding: 'redirect' | 'post';
  /** PEM. */
  spPrivateKey: string;
  spCertificate: string;
};

export type SamlRequest = { redirect: string } | { url: string; form: Record<string, string> };

/** `expiresAt`: until when its assertion id has to be remembered, so that nobody is let in by it twice. */
export type SamlAsserted = Asserted & { assertionId: string; expiresAt: Date };

type Beginning = { requestId: string; relayState: string };

export type Saml = {
  /** A signed request that has the given id. */
  begin(provider: SamlProvider, beginning: Beginning): Promise<SamlRequest>;
  /** Whom an answer means. Without a request id it must be one that nobody has asked for. Whether it came before is the caller's to know. */
  finish(
    provider: SamlProvider,
    flow: { requestId: string | undefined },
    parameters: Record<string, string>,
    now?: Date,
  ): Promise<SamlAsserted>;
};

export const createSaml = (): Saml => ({ begin, finish });

async function begin(
  provider: SamlProvider,
  { requestId, relayState }: Beginning,
): Promise<SamlRequest> {
  // SAML allows 80 bytes, and the two ways in which node-saml encodes a query differ in what else there could be.
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
): Promise<SamlAsserted> {
  const text = decodeAnswer(parameters);
  const shape = readShape(parseAnswer(text));
  assertResponse(shape.response, provider, requestId);
  const unverified = await getAssertion(shape, provider);
  if (findChild(shape.response, 'ds:Signature')) assertSignature(shape.response, 'Response');
  assertSignature(unverified, 'assertion');
  const assertion = await verifyAnswer(text, shape.response, provider);
  const assertionId = assertion.getAttribute('ID');
  if (assertionId !== unverified.getAttribute('ID'))
    throw answerInvalid('The signature in the assertion is not over the assertion.');
  const expiresAt = assertMeant(assertion, { provider, requestId, now });
  return { ...readPerson(assertion, provider.idpEntityId), assertionId, expiresAt };
}

/** Before it is verified. */
async function getAssertion(shape: Shape, provider: SamlProvider): Promise<XmlElement> {
  if (shape.assertion) return shape.assertion;
  if (!shape.encrypted) throw answerInvalid('The answer has no assertion.');
  const assertion = await decryptAssertion(shape.encrypted, provider.spPrivateKey);
  assertDecrypted(assertion, shape);
  return assertion;
}
