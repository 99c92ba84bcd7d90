import { answerInvalid, quote } from './answer.ts';
import type { SamlProvider } from './provider.ts';
import { assertInResponseTo, assertIssuer } from './response.ts';
import { assertOnce } from './shape.ts';
import { compareClocks, findTime, isFuture, isPast, skew } from './times.ts';
import {
  childrenNamed,
  childrenOf,
  findAttribute,
  findChild,
  findText,
  isNamed,
  type XmlElement,
} from './xml.ts';

/**
 * The maximum age of an assertion, even if its own validity period is longer: its id must be
 * remembered as long.
 */
const maxAge = 24 * 60 * 60 * 1000;
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

export type Expectation = { provider: SamlProvider; requestId: string | undefined; now: Date };

/**
 * Asserts that a verified assertion is for this service provider, this sign-in and the current
 * time. Returns the time until which it would be accepted.
 */
export function assertAssertionValid(
  assertion: XmlElement,
  { provider, requestId, now }: Expectation,
): Date {
  assertIssuer(assertion, provider);
  const issued = findTime(assertion, 'IssueInstant');
  if (!issued) throw answerInvalid('The assertion has no IssueInstant.');
  if (isFuture(issued, now))
    throw answerInvalid(`The assertion was made in the future. ${compareClocks(now)}`);
  const conditionsEnd = assertConditions(assertion, { provider, requestId, now });
  const confirmationEnd = assertConfirmed(assertion, { provider, requestId, now });
  const end = Math.min(
    conditionsEnd.getTime(),
    confirmationEnd.getTime(),
    issued.getTime() + maxAge,
  );
  if (isPast(new Date(end), now))
    throw answerInvalid(`The assertion was made more than a day ago. ${compareClocks(now)}`);
  assertAuthenticated(assertion, now);
  return new Date(end + skew);
}

function assertConditions(assertion: XmlElement, { provider, now }: Expectation): Date {
  const conditions = findChild(assertion, 'saml:Conditions');
  if (!conditions) throw answerInvalid('The assertion has no Conditions.');
  const supported = [
    'saml:AudienceRestriction',
    'saml:OneTimeUse',
    'saml:ProxyRestriction',
  ] as const;
  if (!childrenOf(conditions).every((child) => supported.some((name) => isNamed(child, name))))
    throw answerInvalid('The assertion has a condition that is not understood.');
  const start = findTime(conditions, 'NotBefore');
  const end = findTime(conditions, 'NotOnOrAfter');
  if (start && isFuture(start, now))
    throw answerInvalid(
      `The assertion is not valid yet: its Conditions begin at ${start.toISOString()}. ${compareClocks(now)}`,
    );
  if (!end) throw answerInvalid('The Conditions of the assertion have no NotOnOrAfter.');
  if (isPast(end, now))
    throw answerInvalid(
      `The assertion has expired: its Conditions end at ${end.toISOString()}. ${compareClocks(now)}`,
    );
  assertAudience(childrenNamed(conditions, 'saml:AudienceRestriction'), provider);
  return end;
}

/** Every restriction must contain our entity id; each may contain others too. */
function assertAudience(restrictions: readonly XmlElement[], { spEntityId }: SamlProvider): void {
  if (restrictions.length === 0)
    throw answerInvalid(`The assertion has no audience: it has to be "${spEntityId}".`);
  for (const restriction of restrictions) {
    const audiences = childrenNamed(restriction, 'saml:Audience').map(findText);
    if (!audiences.includes(spEntityId))
      throw answerInvalid(
        `The assertion is for ${quote(audiences[0])}: its audience has to be "${spEntityId}".`,
      );
  }
}

/** One valid confirmation suffices: an assertion may have several for several uses. */
function assertConfirmed(assertion: XmlElement, expected: Expectation): Date {
  const subject = findChild(assertion, 'saml:Subject');
  if (!subject) throw answerInvalid('The assertion has no Subject.');
  assertOnce(
    subject,
    ['saml:NameID', 'saml:EncryptedID', 'saml:BaseID'],
    ['saml:SubjectConfirmation'],
  );
  const confirmations = childrenNamed(subject, 'saml:SubjectConfirmation').filter(
    (confirmation) => findAttribute(confirmation, 'Method') === bearer,
  );
  if (confirmations.length === 0) throw answerInvalid('The assertion has no bearer confirmation.');
  const endTimes: Date[] = [];
  const faults: unknown[] = [];
  for (const confirmation of confirmations) {
    try {
      endTimes.push(assertConfirmation(confirmation, expected));
    } catch (error) {
      faults.push(error);
    }
  }
  if (endTimes.length === 0) throw faults[0];
  return new Date(Math.max(...endTimes.map((end) => end.getTime())));
}

function assertConfirmation(
  confirmation: XmlElement,
  { provider, requestId, now }: Expectation,
): Date {
  assertOnce(confirmation, ['saml:NameID', 'saml:SubjectConfirmationData']);
  const confirmationData = findChild(confirmation, 'saml:SubjectConfirmationData');
  if (!confirmationData)
    throw answerInvalid('The bearer confirmation has no SubjectConfirmationData.');
  const recipient = findAttribute(confirmationData, 'Recipient');
  if (recipient !== provider.acsUrl)
    throw answerInvalid(
      `The assertion is for ${quote(recipient)}: its Recipient has to be "${provider.acsUrl}".`,
    );
  assertInResponseTo(findAttribute(confirmationData, 'InResponseTo'), requestId, 'assertion');
  if (findAttribute(confirmationData, 'NotBefore') !== undefined)
    throw answerInvalid('The bearer confirmation has a NotBefore, which SAML forbids.');
  const end = findTime(confirmationData, 'NotOnOrAfter');
  if (!end) throw answerInvalid('The bearer confirmation has no NotOnOrAfter.');
  if (isPast(end, now))
    throw answerInvalid(
      `The assertion has expired: its confirmation ends at ${end.toISOString()}. ${compareClocks(now)}`,
    );
  return end;
}

/** Asserts that the assertion contains an authentication whose session has not ended. */
function assertAuthenticated(assertion: XmlElement, now: Date): void {
  const statements = childrenNamed(assertion, 'saml:AuthnStatement');
  if (statements.length === 0)
    throw answerInvalid('The assertion contains no authentication: it has no AuthnStatement.');
  for (const statement of statements) {
    const at = findTime(statement, 'AuthnInstant');
    if (!at) throw answerInvalid('The AuthnStatement has no AuthnInstant.');
    if (isFuture(at, now))
      throw answerInvalid(`The AuthnInstant is in the future. ${compareClocks(now)}`);
    const end = findTime(statement, 'SessionNotOnOrAfter');
    if (end && isPast(end, now))
      throw answerInvalid(
        `The person's session with the identity provider has ended at ${end.toISOString()}. ${compareClocks(now)}`,
      );
  }
}
