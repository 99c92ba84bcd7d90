import type { AssertedIdentity } from '../results.ts';
import { answerInvalid } from './answer.ts';
import { childrenNamed, findAttribute, findChild, findText, type XmlElement } from './xml.ts';

const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/** Subjects are indexed; no provider uses subjects near this length. */
const maxSubject = 1024;

/**
 * Reads the person of a verified assertion. The claims contain the NameID, for attribute maps and
 * for `assertPersistentNameId`.
 */
export function readPerson(assertion: XmlElement, issuer: string): AssertedIdentity {
  const subject = findChild(assertion, 'saml:Subject');
  if (subject && findChild(subject, 'saml:EncryptedID'))
    throw answerInvalid(
      'The NameID is encrypted by itself: let the provider encrypt the assertion instead.',
    );
  const nameId = subject && findChild(subject, 'saml:NameID');
  const name = findText(nameId) ?? '';
  if (name.length > maxSubject)
    throw answerInvalid(`The NameID is longer than ${maxSubject} characters.`);
  const claims = readAttributes(assertion);
  if (nameId && name !== '') {
    claims.nameID = name;
    claims.nameIDFormat = findAttribute(nameId, 'Format') ?? unspecified;
  }
  return { issuer, subject: name, claims, contexts: readContexts(assertion) };
}

const readContexts = (assertion: XmlElement): string[] =>
  childrenNamed(assertion, 'saml:AuthnStatement')
    .flatMap((statement) => childrenNamed(statement, 'saml:AuthnContext'))
    .flatMap((context) => childrenNamed(context, 'saml:AuthnContextClassRef'))
    .map(({ textContent }) => textContent.trim());

/**
 * Asserts that the NameID identifies the same person next time. Not needed if the attribute map
 * takes the subject from an attribute.
 */
export function assertPersistentNameId({ subject, claims }: AssertedIdentity): void {
  if (subject === '') throw answerInvalid('The assertion has no NameID, or an empty one.');
  if (claims.nameIDFormat !== transient) return;
  throw answerInvalid(
    'The NameID is transient, another one at each sign-in: let the provider send a persistent one, or map an attribute that never changes as the subject.',
  );
}

/**
 * Attribute values by name, in an object without a prototype. Names that would reach one are
 * dropped.
 */
function readAttributes(assertion: XmlElement): Record<string, unknown> {
  const values = new Map<string, string[]>();
  for (const statement of childrenNamed(assertion, 'saml:AttributeStatement')) {
    if (findChild(statement, 'saml:EncryptedAttribute'))
      throw answerInvalid(
        'An attribute is encrypted by itself: let the provider encrypt the assertion instead.',
      );
    for (const attribute of childrenNamed(statement, 'saml:Attribute')) {
      const name = findAttribute(attribute, 'Name');
      if (!name || /^(__proto__|constructor|prototype)$/.test(name)) continue;
      const texts = childrenNamed(attribute, 'saml:AttributeValue').map(({ textContent }) =>
        textContent.trim(),
      );
      values.set(name, [...(values.get(name) ?? []), ...texts.filter((text) => text !== '')]);
    }
  }
  const claims = Object.create(null) as Record<string, unknown>;
  // An attribute without a value says that there is none, such as of groups.
  for (const [name, texts] of values) claims[name] = texts.length === 1 ? texts[0] : texts;
  return claims;
}
