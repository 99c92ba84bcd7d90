import type { Asserted } from '../sign-in/asserted.ts';
import { answerInvalid } from './answer.ts';
import { childrenNamed, findAttribute, findChild, findText, type XmlElement } from './xml.ts';

const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/** An identity is kept, and found again by an index: no provider's is near this long. */
const maxSubject = 1024;

/** Whom a verified assertion means, and what it says of them. The NameID is among the claims, for attribute maps and for `assertLasting`. */
export function readPerson(assertion: XmlElement, issuer: string): Asserted {
  const subject = findChild(assertion, 'saml:Subject');
  if (subject && findChild(subject, 'saml:EncryptedID'))
    throw answerInvalid(
      'The NameID is encrypted by itself: let the provider encrypt the assertion instead.',
    );
  const nameId = subject && findChild(subject, 'saml:NameID');
  const name = findText(nameId);
  if (!nameId || !name) throw answerInvalid('The assertion has no NameID, or an empty one.');
  if (name.length > maxSubject)
    throw answerInvalid(`The NameID is longer than ${maxSubject} characters.`);
  const claims = readAttributes(assertion);
  claims.nameID = name;
  claims.nameIDFormat = findAttribute(nameId, 'Format') ?? unspecified;
  return { issuer, subject: name, claims };
}

/** Asserts that the NameID will mean the same person next time. For providers whose attribute map takes the subject from elsewhere it need not. */
export function assertLasting({ claims }: Asserted): void {
  if (claims.nameIDFormat !== transient) return;
  throw answerInvalid(
    'The NameID is transient, another one at each sign-in: let the provider send a persistent one, or map an attribute that never changes as the subject.',
  );
}

/** Values by name. The record has no prototype, and what would reach for one is left out. */
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
  for (const [name, texts] of values)
    if (texts.length > 0) claims[name] = texts.length === 1 ? texts[0] : texts;
  return claims;
}
