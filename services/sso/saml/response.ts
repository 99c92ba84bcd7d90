import { describeAnswer, SignInRefused } from '../refusal.ts';
import { answerInvalid, quote } from './answer.ts';
import type { SamlProvider } from './provider.ts';
import { childrenNamed, findAttribute, findChild, findText, type XmlElement } from './xml.ts';

// The Response around the assertion may be unsigned, so its content is only used to refuse an
// answer.

export function assertResponse(
  response: XmlElement,
  provider: SamlProvider,
  requestId: string | undefined,
): void {
  const destination = findAttribute(response, 'Destination');
  if (destination !== provider.acsUrl)
    throw answerInvalid(
      `The Response is for ${quote(destination)}: its Destination has to be "${provider.acsUrl}".`,
    );
  assertIssuer(response, provider);
  assertInResponseTo(findAttribute(response, 'InResponseTo'), requestId, 'Response');
  assertSuccess(response);
}

export function assertIssuer(element: XmlElement, { idpEntityId }: SamlProvider): void {
  const issuer = findChild(element, 'saml:Issuer');
  const format = issuer && findAttribute(issuer, 'Format');
  if (format !== undefined && format !== 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity')
    throw answerInvalid('The Issuer is not given as an entity id.');
  if (findText(issuer) !== idpEntityId)
    throw answerInvalid(
      `The ${element.localName} is from ${quote(findText(issuer))}: its Issuer has to be the provider's entity id "${idpEntityId}".`,
    );
}

/** An unsolicited answer must not have an InResponseTo: it would belong to another sign-in. */
export function assertInResponseTo(
  inResponseTo: string | undefined,
  requestId: string | undefined,
  what: string,
): void {
  if (inResponseTo === requestId) return;
  if (requestId === undefined)
    throw answerInvalid(`The ${what} answers a request, and no sign-in waits for it.`);
  throw answerInvalid(
    `The ${what} answers ${inResponseTo === undefined ? 'no request' : 'another request'}: its InResponseTo has to be that of this sign-in.`,
  );
}

function assertSuccess(response: XmlElement): void {
  const status = findChild(response, 'samlp:Status');
  const codes = status ? childrenNamed(status, 'samlp:StatusCode') : [];
  const [code] = codes;
  if (!code || codes.length > 1) throw answerInvalid('The Response has no status.');
  const inner = findChild(code, 'samlp:StatusCode');
  const words = [code, ...(inner ? [inner] : [])].map(nameStatus);
  if (words[0] !== 'Success')
    throw new SignInRefused(
      'PROVIDER_REFUSED',
      `The identity provider has answered with ${words.join(', ')}.${describeAnswer(messageOf(status))}`,
    );
}

/** The own words of the provider; undefined if it has none. */
function messageOf(status: XmlElement | undefined): string | undefined {
  const message = status && findChild(status, 'samlp:StatusMessage');
  return message && findText(message);
}

/** Only the standard's status names: a provider's own text may name the user. */
function nameStatus(code: XmlElement): string {
  const [, name] =
    /^urn:oasis:names:tc:SAML:2\.0:status:([A-Za-z]{1,40})$/.exec(
      findAttribute(code, 'Value') ?? '',
    ) ?? [];
  return name ?? 'a status of its own';
}
