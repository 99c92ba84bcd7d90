import { answerInvalid } from './answer.ts';
import {
  attributesOf,
  childrenNamed,
  childrenOf,
  elementsOf,
  findAttribute,
  isNamed,
  type XmlElement,
  type XmlName,
} from './xml.ts';

// Allows only the expected structure of an answer, before any signature is checked: signature
// wrapping attacks need a second element of a kind, or one in an unusual place.

export type Shape = {
  response: XmlElement;
  /** At most one of the two; neither if the provider refuses. */
  assertion?: XmlElement;
  encrypted?: XmlElement;
};

const inResponse: XmlName[] = [
  'saml:Issuer',
  'ds:Signature',
  'samlp:Extensions',
  'samlp:Status',
  'saml:Assertion',
  'saml:EncryptedAssertion',
];
const inAssertion: XmlName[] = [
  'saml:Issuer',
  'ds:Signature',
  'saml:Subject',
  'saml:Conditions',
  'saml:Advice',
];
const severalInAssertion: XmlName[] = [
  'saml:AuthnStatement',
  'saml:AttributeStatement',
  'saml:AuthzDecisionStatement',
];

export function readShape(response: XmlElement): Shape {
  if (!isNamed(response, 'samlp:Response'))
    throw answerInvalid('The answer is not a SAML Response.');
  const elements = elementsOf(response);
  const assertions = elements.filter(
    ({ localName }) => localName === 'Assertion' || localName === 'EncryptedAssertion',
  );
  const [one] = assertions;
  if (assertions.length > 1)
    throw answerInvalid('The answer has more than one assertion. Exactly one is accepted.');
  if (elements.filter(({ localName }) => localName === 'Response').length > 1)
    throw answerInvalid('The answer has a Response inside the Response.');
  if (one && one.parentNode !== response)
    throw answerInvalid('The assertion is not directly in the Response.');
  assertOnce(response, inResponse);
  assertVersion(response, 'Response');
  assertIds(elements);
  if (!one) return { response };
  if (isNamed(one, 'saml:EncryptedAssertion')) {
    assertSignatures(elements, [response]);
    return { response, encrypted: one };
  }
  assertAssertion(one);
  assertSignatures(elements, [response, one]);
  return { response, assertion: one };
}

/** Checks a decrypted assertion by the same rules. */
export function assertDecrypted(assertion: XmlElement, { response }: Shape): void {
  const elements = elementsOf(assertion);
  if (!isNamed(assertion, 'saml:Assertion'))
    throw answerInvalid('The encrypted element is no assertion.');
  if (
    elements.some(
      (element) =>
        element !== assertion &&
        /^(Response|Assertion|EncryptedAssertion)$/.test(element.localName),
    )
  )
    throw answerInvalid('The answer has more than one assertion. Exactly one is accepted.');
  assertIds([...elementsOf(response), ...elements]);
  assertAssertion(assertion);
  assertSignatures(elements, [assertion]);
}

function assertAssertion(assertion: XmlElement): void {
  assertOnce(assertion, inAssertion, severalInAssertion);
  assertVersion(assertion, 'assertion');
}

/** Allows only these children, each of `once` at most once. */
export function assertOnce(
  parent: XmlElement,
  once: readonly XmlName[],
  several: readonly XmlName[] = [],
): void {
  const isKnown = (child: XmlElement) => [...once, ...several].some((name) => isNamed(child, name));
  if (!childrenOf(parent).every(isKnown))
    throw answerInvalid(`The ${parent.localName} has an element that does not belong there.`);
  const repeated = once.find((name) => childrenNamed(parent, name).length > 1);
  if (repeated)
    throw answerInvalid(`The ${parent.localName} has more than one ${repeated.split(':')[1]}.`);
}

function assertVersion(element: XmlElement, what: string): void {
  if (findAttribute(element, 'Version') !== '2.0')
    throw answerInvalid(`The ${what} is not of SAML 2.0.`);
  if (!/^[A-Za-z_][\w.-]{0,255}$/.test(findAttribute(element, 'ID') ?? ''))
    throw answerInvalid(`The ${what} has no ID, or one that cannot be used.`);
}

/**
 * Libraries find elements by id attributes of any spelling, so the check ignores case and
 * namespace.
 */
function assertIds(elements: readonly XmlElement[]): void {
  const ids = elements.flatMap((element) =>
    attributesOf(element)
      .filter(({ localName, name }) => (localName ?? name).toLowerCase() === 'id')
      .map(({ value }) => value),
  );
  if (new Set(ids).size < ids.length)
    throw answerInvalid('Two elements of the answer have the same ID.');
}

function assertSignatures(elements: readonly XmlElement[], signed: readonly XmlElement[]): void {
  const signatures = elements.filter(({ localName }) => localName === 'Signature');
  if (
    !signatures.every(
      (signature) =>
        isNamed(signature, 'ds:Signature') &&
        signed.some((element) => signature.parentNode === element),
    )
  )
    throw answerInvalid('The answer has a signature where none belongs.');
}
