import { Buffer } from 'node:buffer';
import { type Email, normaliseEmail, oneLine, validate } from '@bailiwick/contract';
import { AccountProfileSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { AdmitRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import { UsersGetByEmailRequestSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { create } from '@bufbuild/protobuf';
import type { ProvidersIdentity } from './queries.ts';

// Assertions of a provider pass the same validation as input from the user.

/** Longer than any provider's values, and short enough for an index. */
const maxBytes = 1024;

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000');

/** Whether all parts of the identity are present and can be stored. The platform's tenant is "". */
export function isIdentity({ provider, issuer, subject }: ProvidersIdentity): boolean {
  return [provider, issuer, subject].every(
    (text) => text !== '' && isText(text) && Buffer.byteLength(text) <= maxBytes,
  );
}

/** The asserted address; undefined if it is not valid. */
export function assertedEmail(email: string): Email | undefined {
  const isAddress =
    validate(UsersGetByEmailRequestSchema, create(UsersGetByEmailRequestSchema, { email }))
      .length === 0;
  return isAddress ? normaliseEmail(email) : undefined;
}

type Profile = Pick<AdmitRequest, 'name' | 'givenName' | 'familyName' | 'picture' | 'locale'>;

/**
 * The profile of a new account. Names lose control characters and direction marks, names
 * that are too long are cut, and other invalid values are left out: no name prevents a sign-in or a deactivation.
 */
export function assertedProfile({ name, givenName, familyName, picture, locale }: Profile) {
  return {
    name: passing('name', nameIn(name)),
    givenName: passing('givenName', nameIn(givenName)),
    familyName: passing('familyName', nameIn(familyName)),
    picture: /^https?:$/.test(URL.parse(picture)?.protocol ?? '')
      ? passing('picture', picture)
      : '',
    locale: passing('locale', languageTag(locale)),
  };
}

/** The language tag of a locale that is written as in POSIX (de_CH.UTF-8), or as "de-CH, en;q=0.5". */
const languageTag = (locale: string): string =>
  (locale.split(/[.@,;]/, 1)[0] ?? '').trim().replaceAll('_', '-');

/** The longest name of a profile. */
const maxName = 128;

/** A longer name is cut, between two characters. */
const nameIn = (text: string): string => {
  const name = oneLine(text).trim();
  return name.length > maxName ? Array.from(name).slice(0, maxName).join('').trim() : name;
};

function passing(
  field: 'name' | 'givenName' | 'familyName' | 'picture' | 'locale',
  text: string,
): string {
  return isText(text) &&
    validate(AccountProfileSchema, create(AccountProfileSchema, { [field]: text })).length === 0
    ? text
    : '';
}
