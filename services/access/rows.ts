/**
 * The names of rows that transactions take turns on and lock. They stay: the previous version, which
 * runs beside this one during an upgrade, locks the same names.
 */
export const rowOf = {
  /** Who a grant is for: a group, by the key of its path, or a member or bot. */
  grantee: (type: string, tenant: string, key: string) => `${type} ${tenant} ${key}`,
  /** A group, by the key of its path. */
  group: (tenant: string, key: string) => `group ${tenant} ${key}`,
  /** Who becomes the first operator of the platform. */
  firstOperator: () => 'first operator',
  invitation: (tenant: string, emailKey: string) => `invitation ${tenant} ${emailKey}`,
  invitationToken: (token: string) => `invitation ${token}`,
  member: (tenant: string, userId: string) => `user ${tenant} ${userId}`,
  plan: (tenant: string) => `plan ${tenant}`,
  role: (tenant: string, slug: string) => `role ${tenant} ${slug}`,
  /** The status of a user or bot, in all tenants. */
  subject: (id: string) => `subject ${id}`,
  tenant: (id: string) => `tenant ${id}`,
  /** The number of tenants that a user has created. */
  tenantsOf: (userId: string) => `tenants of ${userId}`,
};
