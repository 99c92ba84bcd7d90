import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** A person whom a tenant's directory has provisioned. The account, membership and groups are in other tables. */
export const ScimUserEntity = defineEntity({
  name: 'ScimUser',
  tableName: 'scim_user',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** The unique form of the userName: composed, lower case. */
    userNameKey: p.text(),
    externalId: p.text(),
    /** The unique form of the address that identifies the account: see normaliseEmail. */
    emailKey: p.text(),
    /** The attributes as the directory sent them, without `active`. */
    resource: p.json<Record<string, unknown>>(),
    /** The account; "" while the person is only invited. */
    userId: p.text(),
    /** The latest invitation; "" = none. */
    invitationId: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    { name: 'scim_user_name', properties: ['tenant', 'userNameKey'] },
    { name: 'scim_user_email', properties: ['tenant', 'emailKey'] },
  ],
  indexes: [
    { name: 'scim_user_external_id', properties: ['tenant', 'externalId'] },
    { name: 'scim_user_account', properties: ['userId', 'tenant'] },
    { name: 'scim_user_invitation', properties: ['tenant', 'invitationId'] },
  ],
});

export type ScimUser = InferEntity<typeof ScimUserEntity>;
