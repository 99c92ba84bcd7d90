import { Buffer } from 'node:buffer';
import { AccountProfileSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { AdmitRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import { UsersGetByEmailRequestSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { validate } from '@bailiwick/proto/validate.ts';
import { type Email, normaliseEmail } from '@bailiwick/shared/email.ts';
import { create } from '@bufbuild/protobuf';
import type { ProvidersIdentity } from './queries.ts';

// What a provider says of a person passes the rules that it would pass if the person said it here.

/** Longer ones than any provider has would not fit into an index. */
const maxBytes = 1024;

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000');

/** Whether it says who somebody is, in texts that can be stored. */
export function isIdentity({ tenant, provider, issuer, subject }: ProvidersIdentity): boolean {
  return [tenant, provider, issuer, subject].every(
    (text) => text !== '' && isText(text) && Buffer.byteLength(text) <= maxBytes,
  );
}

/** The asserted address; undefined where it is none. */
export function assertedEmail(email: string): Email | undefined {
  const isAddress =
    validate(UsersGetByEmailRequestSchema, create(UsersGetByEmailRequestSchema, { email }))
      .length === 0;
  return isAddress ? normaliseEmail(email) : undefined;
}

/** The profile of a new account. Nobody is kept out by a name that is too long: what does not pass is left out. */
export function assertedProfile({ name, givenName, familyName, picture, locale }: AdmitRequest) {
  return {
    name: passing('name', name),
    givenName: passing('givenName', givenName),
    familyName: passing('familyName', familyName),
    picture: /^https?:$/.test(URL.parse(picture)?.protocol ?? '')
      ? passing('picture', picture)
      : '',
    locale: passing('locale', locale),
  };
}

function passing(
  field: 'name' | 'givenName' | 'familyName' | 'picture' | 'locale',
  value: string,
): string {
  return isText(value) &&
    validate(AccountProfileSchema, create(AccountProfileSchema, { [field]: value })).length === 0
    ? value
    : '';
}
