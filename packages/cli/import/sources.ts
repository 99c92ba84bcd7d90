import {
  csv,
  flagProblems,
  headProblem,
  ImportError,
  isColumn,
  isFalse,
  isTrue,
  type Json,
  jsonl,
  object,
  type Read,
  type Reading,
  text,
  texts,
} from '../../client/import/mod.ts';
import { auth0Hash } from './auth0-hashes.ts';
import { type FirebaseHash, firebaseHash, keycloakHash, peppered } from './hashes.ts';
import type { Source } from './source.ts';

// The users as other systems export them.

/** A part of a user that may be impossible to read: its value, or the problem. */
function attempt(read: () => string): { value: string; problems: string[] } {
  try {
    return { value: read(), problems: [] };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { value: '', problems: [error.message] };
  }
}

const keycloak: Read = (user) => {
  const hash = attempt(() => keycloakHash(user['credentials']));
  return withProblems(
    [
      ...flagProblems('emailVerified', user['emailVerified']),
      ...flagProblems('enabled', user['enabled']),
      ...hash.problems,
    ],
    {
      ExternalID: text(user['id']) || text(user['username']),
      Email: text(user['email']),
      EmailVerified: isTrue(user['emailVerified']),
      GivenName: text(user['firstName']),
      FamilyName: text(user['lastName']),
      Name: fullName(user['firstName'], user['lastName']),
      Metadata: texts(user['attributes']),
      PasswordHash: hash.value,
    },
    isFalse(user['enabled']),
  );
};

const withProblems = (
  problems: readonly string[],
  user: Reading['user'],
  isDisabled = false,
): Reading => ({ user, problems, isDisabled });

const fullName = (givenName: unknown, familyName: unknown): string =>
  [text(givenName), text(familyName)].filter((part) => part !== '').join(' ');

const auth0: Read = (user) => {
  const oid = text(object(user['_id'])['$oid']);
  const hash = attempt(() => auth0Hash(user));
  return withProblems(
    [
      ...flagProblems('email_verified', user['email_verified']),
      ...flagProblems('blocked', user['blocked']),
      ...hash.problems,
    ],
    {
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
      PasswordHash: hash.value,
    },
    isTrue(user['blocked']),
  );
};

const firebase =
  (hash: FirebaseHash | undefined): Read =>
  (user) => {
    const passwordHash = text(user['passwordHash']);
    return withProblems(
      [
        ...flagProblems('emailVerified', user['emailVerified']),
        ...flagProblems('disabled', user['disabled']),
        ...(passwordHash !== '' && !hash
          ? ['the user has a password: --firebase-hash FILE is required to take it along']
          : []),
      ],
      {
        ExternalID: text(user['localId']),
        Email: text(user['email']),
        EmailVerified: isTrue(user['emailVerified']),
        Name: text(user['displayName']),
        Picture: text(user['photoUrl']),
        PasswordHash:
          hash && passwordHash !== '' ? firebaseHash(hash, text(user['salt']), passwordHash) : '',
      },
      isTrue(user['disabled']),
    );
  };

const clerk: Read = (user) => {
  const email = text(user['primary_email_address']);
  return withProblems([], {
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
  });
};

/** The table auth.users. Its users can edit raw_user_meta_data. */
const supabase: Read = (user) => {
  const { full_name, name, avatar_url, ...more } = parsedObject(user['raw_user_meta_data']);
  const isBanned = Date.parse(text(user['banned_until'])) > Date.now();
  const isDisabled = isBanned || text(user['deleted_at']) !== '';
  return withProblems(
    [],
    {
      ExternalID: text(user['id']),
      Email: text(user['email']),
      EmailVerified: text(user['email_confirmed_at']) !== '',
      Name: text(full_name) || text(name),
      Picture: text(avatar_url),
      Metadata: texts(more),
      PasswordHash: text(user['encrypted_password']),
    },
    isDisabled,
  );
};

function parsedObject(json: unknown): Json {
  try {
    return object(JSON.parse(text(json)));
  } catch {
    return {};
  }
}

/** The columns of Cognito's CSV. AWS gives no password hashes. */
const cognito: Read = (user) =>
  withProblems(flagProblems('email_verified', user['email_verified']), {
    ExternalID: text(user['sub']) || text(user['cognito:username']),
    Email: text(user['email']),
    EmailVerified: isTrue(user['email_verified']),
    GivenName: text(user['given_name']),
    FamilyName: text(user['family_name']),
    Name: text(user['name']) || fullName(user['given_name'], user['family_name']),
    Picture: text(user['picture']),
    Locale: text(user['locale']),
  });

const zitadel: Read = (record) => {
  const user = object(record['user']);
  const [profile, email] = [object(user['profile']), object(user['email'])];
  return withProblems(flagProblems('isEmailVerified', email['isEmailVerified']), {
    ExternalID: text(record['userId']),
    Email: text(email['email']),
    EmailVerified: isTrue(email['isEmailVerified']),
    GivenName: text(profile['firstName']),
    FamilyName: text(profile['lastName']),
    Name: text(profile['displayName']) || fullName(profile['firstName'], profile['lastName']),
    Locale: text(profile['preferredLanguage']),
    PasswordHash: text(object(user['hashedPassword'])['value']),
  });
};

/** A source of which the columns with these names are read. */
const csvWith = (required: readonly string[], read: Read): Source => ({
  form: 'csv',
  read,
  headProblem: (names) => headProblem(names, required),
});

/** Options that say how the password hashes of a file were made. */
export type HashOptions = { firebase?: FirebaseHash | undefined; pepper?: string | undefined };

/** The systems of --from. */
export function sources({ firebase: hash, pepper }: HashOptions): Readonly<Record<string, Source>> {
  const systems: Record<string, Source> = {
    csv: {
      form: 'csv',
      read: csv,
      headProblem: (names) => headProblem(names, ['Email'], isColumn),
    },
    jsonl: { form: 'lines', read: jsonl },
    keycloak: { form: ['users', ''], read: keycloak },
    auth0: { form: 'lines', read: auth0 },
    firebase: { form: ['users'], read: firebase(hash) },
    clerk: csvWith(['id', 'primary_email_address'], clerk),
    zitadel: { form: ['humanUsers'], read: zitadel },
    supabase: csvWith(['id', 'email', 'encrypted_password', 'email_confirmed_at'], supabase),
    cognito: csvWith(['cognito:username', 'email', 'email_verified'], cognito),
  };
  if (pepper === undefined) return systems;
  return Object.fromEntries(
    Object.entries(systems).map(([name, source]) => [name, peppered(source, pepper)]),
  );
}
