import { encodeJson, type JsonObject } from '@bailiwick/contract';
import { UserSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import {
  lastPartKey,
  searchIndex,
  type TrigramIndex,
  textKey,
  trigramEntityIndex,
} from '@bailiwick/store';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

export const userTrigrams: TrigramIndex = {
  name: 'user_account_trigrams',
  table: 'user_account',
  isOfTenants: false,
  keys: [textKey('name'), textKey('email')],
};

export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'user_account',
  properties: {
    id: p.string().primary().columnType('text'),
    email: p.text(),
    /** The unique form of the address: see normaliseEmail. */
    emailKey: p.text(),
    emailVerified: p.boolean(),
    /**
     * True if a mail has reached the user, or if a tenant's provider or the provider that runs the
     * mailbox vouches for the address. False if only a social provider has verified it, perhaps long
     * ago.
     */
    mailboxProven: p.boolean().default(true),
    name: p.text(),
    givenName: p.text(),
    familyName: p.text(),
    picture: p.text(),
    locale: p.text(),
    /** active or disabled. An unverified account is a registration, not a user. */
    status: p.text(),
    /** The receipt of the lock that disables the user; '' = none. Without a meaning for an active user. */
    lockReceipt: p.text().default(''),
    externalId: p.text(),
    /** The BatchID of the Users_Import that created the user; '' for other users. */
    importBatch: p.text().default(''),
    metadata: p.json<Record<string, string>>(),
    /**
     * argon2id in PHC form, or a hash of another system after the word `imported`; null if the user
     * signs in elsewhere or has to set a password first.
     */
    passwordHash: p.text().nullable(),
    lastLoginAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'user_account_email_key', properties: ['emailKey'] }],
  indexes: [
    ...[
      `user_account_name on user_account ((${textKey('name')}), id)`,
      `user_account_last_word on user_account ((${lastPartKey('name')}), id)`,
      `user_account_email on user_account ((${textKey('email')}), id)`,
    ].map(searchIndex),
    { name: 'user_account_created', properties: ['createdAt', 'id'] },
    trigramEntityIndex(userTrigrams),
    {
      name: 'user_account_status',
      properties: ['status', 'id'],
      where: `status <> 'active'`,
    },
    {
      name: 'user_account_external_id',
      properties: ['externalId'],
      where: `external_id <> ''`,
    },
    {
      name: 'user_account_imported_hash',
      properties: ['id'],
      // ~~ is LIKE, as the server writes it.
      where: `password_hash ~~ 'imported %'`,
    },
  ],
});

export type UserRow = InferEntity<typeof UserEntity>;

export function userRecord(user: UserRow): MessageInitShape<typeof UserSchema> {
  return {
    id: user.id,
    email: user.email,
    emailVerified: user.emailVerified,
    name: user.name,
    givenName: user.givenName,
    familyName: user.familyName,
    picture: user.picture,
    locale: user.locale,
    status: user.status,
    lockReceipt: user.status === 'disabled' ? user.lockReceipt : '',
    hasPassword: user.passwordHash !== null,
    externalId: user.externalId,
    metadata: { items: user.metadata },
    ...(user.lastLoginAt ? { lastLoginAt: timestampFromDate(user.lastLoginAt) } : {}),
    createdAt: timestampFromDate(user.createdAt),
    updatedAt: timestampFromDate(user.updatedAt),
  };
}

/**
 * The record for callers that may read a user but not manage it: without hasPassword and the last
 * sign-in.
 */
export function userForReaders(user: UserRow): MessageInitShape<typeof UserSchema> {
  return userRecord({ ...user, passwordHash: null, lastLoginAt: null });
}

/**
 * The record in documented JSON, as in events, whose receivers need not be allowed to manage users.
 */
export const userJson = (user: UserRow): JsonObject =>
  encodeJson(UserSchema, create(UserSchema, userForReaders(user)));

export function newUser(
  id: string,
  email: { address: string; key: string },
  passwordHash: string | null,
  now: Date,
): UserRow {
  return {
    id,
    email: email.address,
    emailKey: email.key,
    emailVerified: true,
    mailboxProven: true,
    name: '',
    givenName: '',
    familyName: '',
    picture: '',
    locale: '',
    status: 'active',
    lockReceipt: '',
    externalId: '',
    importBatch: '',
    metadata: {},
    passwordHash,
    lastLoginAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
