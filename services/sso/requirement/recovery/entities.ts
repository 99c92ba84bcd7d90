import { defineEntity, p } from '@mikro-orm/core';

/** An unused code that lifts the SSO requirement of its tenant once. */
export const SsoRecoveryCodeEntity = defineEntity({
  name: 'SsoRecoveryCode',
  tableName: 'sso_recovery_code',
  properties: {
    /** SHA-256. It finds the tenant. */
    codeHash: p.blob().primary(),
    tenant: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'sso_recovery_code_tenant', properties: ['tenant'] }],
});
