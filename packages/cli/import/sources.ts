import {
  csv,
  ImportError,
  isTrue,
  jsonl,
  object,
  type Read,
  text,
  texts,
} from '../../user-import/mod.ts';
import { type FirebaseHash, firebaseHash, keycloakHash } from './hashes.ts';

// The users as other systems export them.

export type Source = {
  /** How the file is cut into records: its lines, the rows of CSV, or the items of lists in JSON. */
  form: 'lines' | 'csv' | readonly string[];
  read: Read;
};

function refuseDisabled(isDisabled: boolean): void {
  if (isDisabled) throw new ImportError('the user is disabled in the other system');
}

const keycloak: Read = (user) => {
  refuseDisabled(user['enabled'] === false);
  return {
    ExternalID: text(user['id']) || text(user['username']),
    Email: text(user['email']),
    EmailVerified: isTrue(user['emailVerified']),
    GivenName: text(user['firstName']),
    FamilyName: text(user['lastName']),
    Name: fullName(user['firstName'], user['lastName']),
    Metadata: texts(user['attributes']),
    PasswordHash: keycloakHash(user['credentials']),
  };
};

const fullName = (given: unknown, family: unknown): string =>
  [text(given), text(family)].filter((part) => part !== '').join(' ');

const auth0: Read = (user) => {
  refuseDisabled(user['blocked'] === true);
  const oid = text(object(user['_id'])['$oid']);
  return {
    ExternalID: text(user['user_id']) || (oid === '' ? '' : `auth0|${oid}`),
    Email: text(user['email']),
    EmailVerified: isTrue(user['email_verified']),
    Name: text(user['name']) === text(user['email']) ? '' : text(user['name']),
    GivenName: text(user['given_name']),
    FamilyName: text(user['family_name']),
    Picture: text(user['picture']),
    Locale: text(user['locale']),
    // Users can edit their Metadata. In app_metadata there may be roles and plans, which they cannot.
    Metadata: texts(user['user_metadata']),
    PasswordHash: text(user['passwordHash']),
  };
};

const firebase =
  (hash: FirebaseHash | undefined): Read =>
  (user) => {
    refuseDisabled(user['disabled'] === true);
    const passwordHash = text(user['passwordHash']);
    if (passwordHash !== '' && !hash)
      throw new ImportError(
        'the user has a password: --firebase-hash FILE is required to take it along',
      );
    return {
      ExternalID: text(user['localId']),
      Email: text(user['email']),
      EmailVerified: isTrue(user['emailVerified']),
      Name: text(user['displayName']),
      Picture: text(user['photoUrl']),
      PasswordHash:
        hash && passwordHash !== '' ? firebaseHash(hash, text(user['salt']), passwordHash) : '',
    };
  };

const clerk: Read = (user) => {
  const email = text(user['primary_email_address']);
  return {
    ExternalID: text(user['id']),
    Email: email,
    EmailVerified: text(user['verified_email_addresses'])
      .split(/[\s,;|]+/)
      .includes(email),
    GivenName: text(user['first_name']),
    FamilyName: text(user['last_name']),
    Name: fullName(user['first_name'], user['last_name']),
    ...(text(user['username']) && { Metadata: { username: text(user['username']) } }),
    PasswordHash: text(user['password_digest']),
  };
};

const zitadel: Read = (record) => {
  const user = object(record['user']);
  const [profile, email] = [object(user['profile']), object(user['email'])];
  return {
    ExternalID: text(record['userId']),
    Email: text(email['email']),
    EmailVerified: isTrue(email['isEmailVerified']),
    GivenName: text(profile['firstName']),
    FamilyName: text(profile['lastName']),
    Name: text(profile['displayName']) || fullName(profile['firstName'], profile['lastName']),
    Locale: text(profile['preferredLanguage']),
    PasswordHash: text(object(user['hashedPassword'])['value']),
  };
};

/** The systems of --from. */
export const sources = (hash: FirebaseHash | undefined): Readonly<Record<string, Source>> => ({
  csv: { form: 'csv', read: csv },
  jsonl: { form: 'lines', read: jsonl },
  keycloak: { form: ['users', ''], read: keycloak },
  auth0: { form: 'lines', read: auth0 },
  firebase: { form: ['users'], read: firebase(hash) },
  clerk: { form: 'csv', read: clerk },
  zitadel: { form: ['humanUsers'], read: zitadel },
});
