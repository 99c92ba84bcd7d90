import { defineEntity, p } from '@mikro-orm/core';

export type SubjectType = 'user' | 'group' | 'bot';

/** A role of a user, group or bot: in a tenant, or on the platform if the tenant is "". */
export const GrantEntity = defineEntity({
  name: 'Grant',
  tableName: 'grant_entry',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    subjectType: p.text().$type<SubjectType>(),
    /** The id of the user or bot, or the key of the group. */
    subject: p.text(),
    /** The role's slug. */
    role: p.text(),
    /** The application's name of a resource; "" = the whole tenant. */
    resource: p.text(),
    expiresAt: p.datetime(3).nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    /** The provider whose mappings manage the grant; "" = granted by hand. */
    mappedBy: p.text().default(''),
    /** Whether a user was made an owner without being asked, and has not accepted. */
    unasked: p.boolean().default(false),
  },
  uniques: [
    {
      name: 'grant_entry_key',
      properties: ['tenant', 'subjectType', 'subject', 'role', 'resource'],
    },
  ],
  indexes: [
    { name: 'grant_entry_subject', properties: ['subject', 'subjectType', 'tenant'] },
    { name: 'grant_entry_list', properties: ['tenant', 'subjectType', 'id'] },
    { name: 'grant_entry_role', properties: ['tenant', 'role'] },
    { name: 'grant_entry_role_list', properties: ['tenant', 'subjectType', 'role', 'id'] },
  ],
});

export type GrantRow = {
  tenant: string;
  id: string;
  /** The id of the user or bot, or the path of the group. */
  subject: string;
  role: string;
  resource: string;
  expiresAt?: Date | string | null | undefined;
  createdBy: string;
  createdAt: Date | string;
};
