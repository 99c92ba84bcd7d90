/**
 * The names of rows that transactions take turns on and lock. They stay: the previous version, which
 * runs beside this one during an upgrade, locks the same names.
 */
export const rowOf = {
  app: (tenant: string, id: string) => `app ${tenant} ${id}`,
  /** The number of a tenant's apps. */
  apps: (tenant: string) => `app ${tenant}`,
  domain: (tenant: string, id: string) => `domain ${tenant} ${id}`,
  /** The number of a tenant's domains. */
  domains: (tenant: string) => `domain ${tenant}`,
  provider: (tenant: string, id: string) => `sso_provider ${tenant} ${id}`,
  /** The providers that a decision about a tenant depends on. */
  providers: (tenant: string) => `sso_provider ${tenant}`,
  /** A save from its first read on, around the transaction that locks `provider`. */
  providerSave: (tenant: string, id: string) => `save sso_provider ${tenant} ${id}`,
  requirement: (tenant: string) => `requirement ${tenant}`,
  signingKeys: () => 'signing keys',
};
