/**
 * The names of rows that transactions take turns on and lock. They stay: the previous version, which
 * runs beside this one during an upgrade, locks the same names.
 */
export const rowOf = {
  /** An account that may not exist yet, by the key of its email address. */
  account: (emailKey: string) => `account ${emailKey}`,
  bot: (tenant: string, id: string) => `bot ${tenant} ${id}`,
  /** The number of a tenant's bots. */
  bots: (tenant: string) => `bot ${tenant}`,
  code: (code: string) => `code ${code}`,
  identity: ({
    tenant,
    provider,
    issuer,
    subject,
  }: Record<'tenant' | 'provider' | 'issuer' | 'subject', string>) =>
    `identity ${JSON.stringify([tenant, provider, issuer, subject])}`,
  import: () => 'import',
  key: (tenant: string, id: string) => `bot_key ${tenant} ${id}`,
  /** The number of a bot's keys. */
  keys: (bot: string) => `keys of ${bot}`,
  provider: (tenant: string, id: string) => `provider ${tenant} ${id}`,
  /** The receipts of a locked app. */
  receipt: (subject: string) => `lock_receipt ${subject}`,
  registration: (emailKey: string) => `registration ${emailKey}`,
  reset: (token: string) => `reset ${token}`,
  /** A reset from its first read on, around the transaction that locks `reset`. */
  resetTurn: (token: string) => `reset token ${token}`,
  trust: (tenant: string, id: string) => `bot_trust ${tenant} ${id}`,
  /** The number of a bot's trusts. */
  trusts: (bot: string) => `trusts of ${bot}`,
  user: (id: string) => `user ${id}`,
};
