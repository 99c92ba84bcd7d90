/**
 * The placeholders of each mail. {@link sharedPlaceholders} are available as well; a subject has
 * none.
 */
export const placeholders = {
  verification: ['link', 'token', 'requestedFrom'],
  address_verification: ['link', 'token', 'requestedFrom'],
  reset: ['link', 'token', 'requestedFrom'],
  sign_in_code: ['token', 'requestedFrom'],
  invitation: ['tenantName', 'inviterName', 'link', 'token'],
  already_registered: ['requestedFrom'],
  password_changed: [],
  account_linked: ['tenantName'],
  social_linked: ['name'],
  address_changed: [],
  endpoint_failing: ['tenantName', 'name'],
  endpoint_disabled: ['tenantName', 'name'],
  key_expiring: ['tenantName', 'name', 'date'],
  sso_lifted: ['tenantName', 'date'],
  sso_recovered: ['tenantName', 'name', 'date'],
  sso_codes_created: ['tenantName'],
  certificate_announced: ['tenantName', 'name', 'time'],
  certificate_waiting: ['tenantName', 'name'],
  certificates_changed: ['tenantName', 'name'],
  certificate_expiring: ['tenantName', 'name', 'date'],
  holder_ended: ['tenantName', 'name'],
  owner_kept: ['tenantName', 'name'],
  membership_pending: ['tenantName', 'inviterName'],
  ownership_given: ['tenantName'],
  factor_added: [],
  factor_removed: [],
  factors_reset: [],
  recovery_codes_generated: [],
  recovery_code_used: ['left'],
  passkey_added: ['name'],
  passkey_removed: ['name'],
  support_started: ['operatorName', 'reason', 'time'],
  user_disabled: ['operatorName', 'reason'],
  user_enabled: ['operatorName', 'reason'],
  user_deleted: ['operatorName', 'reason'],
  factors_reset_by: ['operatorName', 'reason'],
  user_updated: ['operatorName', 'reason'],
  identity_confirmed: ['operatorName', 'reason'],
  identity_removed: ['operatorName', 'reason'],
  sessions_ended: ['operatorName', 'reason'],
  platform_role_given: ['operatorName', 'name', 'role', 'reason'],
  platform_role_given_until: ['operatorName', 'name', 'role', 'time', 'reason'],
  platform_role_removed: ['operatorName', 'name', 'role'],
  platform_key_created: ['operatorName', 'name'],
  platform_bot_changed: ['operatorName', 'name'],
} as const satisfies Record<string, readonly string[]>;

/** In every mail: the service's name, its public URL, and the recipient's address. */
export const sharedPlaceholders = ['service', 'publicUrl', 'email'] as const;

/** In the layout around every HTML part. */
export const layoutPlaceholders = [
  'lang',
  'subject',
  'service',
  'publicUrl',
  'content',
  'brand',
  'logo',
  'accent',
  'accentOnDark',
] as const;

export type TemplateName = keyof typeof placeholders;

export const templateNames = Object.keys(placeholders) as TemplateName[];
export const isTemplateName = (name: string): name is TemplateName =>
  Object.hasOwn(placeholders, name);
