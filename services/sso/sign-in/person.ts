import { findEmail } from '@bailiwick/contract';
import { findClaim } from '../oidc/claims.ts';
import type { ProviderValues } from '../providers/api-record.ts';
import { isForAnyDirectory } from '../providers/presets.ts';
import { SignInRefused } from '../refusal.ts';
import type { AssertedIdentity } from '../results.ts';
import { assertPersistentNameId } from '../saml/person.ts';
import { type GroupStatement, readGroupStatement } from './groups.ts';

/** The person who signs in, as the provider describes them. */
export type Person = {
  subject: string;
  /** "" = the provider sends none. */
  email: string;
  emailVerified: boolean;
  name: string;
  givenName: string;
  familyName: string;
  picture: string;
  locale: string;
  groups: string[];
  groupStatement: GroupStatement;
};

type Field = 'Email' | 'Name' | 'GivenName' | 'FamilyName' | 'Picture' | 'Locale' | 'Groups';

const claimNamespace = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

/** The usual claim and attribute names; the first one that is present counts. */
const defaultNames: Record<'oidc' | 'oauth' | 'saml', Record<Field, readonly string[]>> = {
  oidc: {
    Email: ['email'],
    Name: ['name'],
    GivenName: ['given_name'],
    FamilyName: ['family_name'],
    Picture: ['picture'],
    Locale: ['locale'],
    Groups: ['groups'],
  },
  // The user-info responses of GitHub, GitLab, Discord and others.
  oauth: {
    Email: ['email'],
    Name: ['name', 'global_name', 'login', 'username'],
    GivenName: ['given_name'],
    FamilyName: ['family_name'],
    Picture: ['picture', 'avatar_url'],
    Locale: ['locale'],
    Groups: ['groups'],
  },
  saml: {
    Email: [
      'email',
      'mail',
      'emailAddress',
      `${claimNamespace}/emailaddress`,
      'urn:oid:0.9.2342.19200300.100.1.3',
    ],
    Name: [
      'displayName',
      'name',
      'http://schemas.microsoft.com/identity/claims/displayname',
      'urn:oid:2.16.840.1.113730.3.1.241',
    ],
    GivenName: ['givenName', 'firstName', `${claimNamespace}/givenname`, 'urn:oid:2.5.4.42'],
    FamilyName: ['sn', 'surname', 'lastName', `${claimNamespace}/surname`, 'urn:oid:2.5.4.4'],
    Picture: ['picture'],
    Locale: ['locale', 'preferredLanguage', 'urn:oid:2.16.840.1.113730.3.1.39'],
    Groups: [
      'groups',
      'memberOf',
      'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
      'http://schemas.xmlsoap.org/claims/Group',
      'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
    ],
  },
};

/** The protocol of a provider's kind. */
export const protocolOf = ({ kind }: Pick<ProviderValues, 'kind'>) =>
  kind === 'saml' || kind === 'oauth' ? kind : 'oidc';

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/**
 * Reads a person from the claims, by AttributeMap or the usual names. Throws SignInRefused for
 * ambiguous values.
 */
export function readPerson(
  identity: AssertedIdentity,
  provider: Pick<ProviderValues, 'kind' | 'attributeMap' | 'preset' | 'issuer'>,
): Person {
  const { kind, attributeMap } = provider;
  const { claims } = identity;
  const defaults = defaultNames[protocolOf({ kind })];
  const namesOf = (field: Field): readonly string[] => {
    const claimName = attributeMap[field];
    return claimName === undefined ? defaults[field] : [claimName];
  };
  const findValue = (field: Field): unknown => {
    const candidates = namesOf(field)
      .map((name) => claimOf(identity, kind, name))
      .filter((candidate) => candidate !== undefined);
    return candidates.find((candidate) => !isEmptyList(candidate)) ?? candidates[0];
  };
  const text = (field: Field): string => textsOf(findValue(field))[0] ?? '';
  return {
    subject: readSubject(identity, kind, attributeMap['Subject']),
    email: readEmail(textsOf(findValue('Email') ?? addressInName(claims, attributeMap))),
    emailVerified: isForAnyDirectory(provider)
      ? isVerifiedByDirectory(claims, attributeMap)
      : isVerified(identity, kind, attributeMap),
    name: text('Name'),
    givenName: text('GivenName'),
    familyName: text('FamilyName'),
    picture: text('Picture'),
    locale: text('Locale'),
    groups: textsOf(findValue('Groups')),
    groupStatement: readGroupStatement(identity, findValue('Groups'), namesOf('Groups')),
  };
}

/** The value of a name in AttributeMap. The attributes of SAML are no objects with members. */
function claimOf(
  { claims }: Pick<AssertedIdentity, 'claims'>,
  kind: string,
  name: string,
): unknown {
  if (kind === 'saml') return Object.hasOwn(claims, name) ? claims[name] : undefined;
  return findClaim(claims, name);
}

/** The names in AttributeMap that an answer does not have, each with its property. */
export const absentClaims = (
  identity: Pick<AssertedIdentity, 'claims'>,
  { kind, attributeMap, groupMappings }: ClaimMapping,
): string[] =>
  Object.entries(attributeMap)
    // Without mappings of groups the groups are not asked for.
    .filter(([field]) => field !== 'Groups' || groupMappings.length > 0)
    .filter(([, name]) => claimOf(identity, kind, name) === undefined)
    .map(([field, name]) => `${name} (${field})`);

type ClaimMapping = Pick<ProviderValues, 'kind' | 'attributeMap' | 'groupMappings'>;

function readSubject(
  identity: AssertedIdentity,
  kind: string,
  claimName: string | undefined,
): string {
  const { subject } = identity;
  if (claimName !== undefined) {
    const texts = textsOf(claimOf(identity, kind, claimName));
    const [subjectText, ...more] = new Set(texts);
    if (subjectText === undefined || subjectText === '' || more.length > 0)
      throw new SignInRefused(
        'ANSWER_INVALID',
        `the answer has not exactly one ${claimName}, which AttributeMap names as Subject`,
      );
    return subjectText;
  }
  if (kind === 'saml') assertPersistentNameId(identity);
  return subject;
}

const addressInName = (
  claims: AssertedIdentity['claims'],
  map: Readonly<Record<string, string>>,
): unknown =>
  map['Email'] === undefined && claims['nameIDFormat'] === emailFormat
    ? claims['nameID']
    : undefined;

function readEmail(texts: readonly string[]): string {
  const emails = texts.map((text) => findEmail(text));
  if (new Set(emails.map((email) => email?.key)).size > 1)
    throw new SignInRefused(
      'ANSWER_INVALID',
      'the answer has several addresses: name the attribute to use in AttributeMap',
    );
  if (texts.length === 0) return '';
  const [email] = emails;
  if (!email)
    throw new SignInRefused('ANSWER_INVALID', 'the provider returned an invalid email address');
  return email.address;
}

// An OIDC provider says with a claim whether it has verified the address. SAML has no such
// attribute: a signed address counts as verified.
function isVerified(
  { claims }: AssertedIdentity,
  kind: string,
  map: Readonly<Record<string, string>>,
): boolean {
  const claimName = map['EmailVerified'];
  if (claimName !== undefined)
    return isTrue(claimName, single(claimOf({ claims }, kind, claimName)));
  if (kind === 'saml') return true;
  // email_verified is about the claim `email`, and not about another one.
  return (
    (map['Email'] ?? 'email') === 'email' &&
    Object.hasOwn(claims, 'email_verified') &&
    isTrue('email_verified', claims['email_verified'])
  );
}

/** Some providers send booleans as text, and Microsoft its `xms_edov` as a number or its text too. */
const isTrue = (name: string, value: unknown): boolean =>
  value === true || value === 'true' || (name === edov && (value === '1' || value === 1));

const edov = 'xms_edov';

/**
 * Microsoft says with this claim, which is about `email`, that the owner of the address's domain has
 * been verified. Without it, the address is any text that an administrator of the directory entered.
 */
const isVerifiedByDirectory = (
  claims: AssertedIdentity['claims'],
  map: Readonly<Record<string, string>>,
): boolean =>
  (map['Email'] ?? 'email') === 'email' &&
  Object.hasOwn(claims, edov) &&
  isTrue(edov, claims[edov]);

const single = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? value[0] : value;

/** The texts of a claim: one, several or none. */
function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter(
    (one): one is string =>
      typeof one === 'string' && one !== '' && one.isWellFormed() && !one.includes('\u0000'),
  );
}
