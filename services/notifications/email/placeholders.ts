/**
 * The placeholders of each mail. {@link sharedPlaceholders} are available as well; a subject has
 * none.
 */
export const placeholders = {
  verification: ['link', 'token'],
  address_verification: ['link', 'token'],
  reset: ['link', 'token'],
  sign_in_code: ['token'],
  invitation: ['tenantName', 'inviterName', 'link', 'token'],
  already_registered: [],
  password_changed: [],
  account_linked: ['tenantName'],
  social_linked: ['name'],
  address_changed: [],
  endpoint_failing: ['tenantName', 'name'],
  endpoint_disabled: ['tenantName', 'name'],
  key_expiring: ['tenantName', 'name', 'date'],
  sso_lifted: ['tenantName', 'date'],
  membership_pending: ['tenantName', 'inviterName'],
  factor_added: [],
  factor_removed: [],
  factors_reset: [],
  recovery_codes_generated: [],
  recovery_code_used: ['left'],
  passkey_added: ['name'],
  passkey_removed: ['name'],
} as const satisfies Record<string, readonly string[]>;

/** In every mail: the service's name, its public URL, and the recipient's address. */
export const sharedPlaceholders = ['service', 'publicUrl', 'email'] as const;

/** In the layout around every HTML part. */
export const layoutPlaceholders = ['lang', 'subject', 'service', 'publicUrl', 'content'] as const;

export type TemplateName = keyof typeof placeholders;

export const templateNames = Object.keys(placeholders) as TemplateName[];
export const isTemplateName = (name: string): name is TemplateName =>
  Object.hasOwn(placeholders, name);

const pattern = /\{\{(\w+)\}\}/g;

/** The placeholders of a text, without duplicates, sorted by name. */
export const placeholdersIn = (text: string): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))].sort();

export type Values = Readonly<Record<string, string>>;

/**
 * Replaces the placeholders. Throws for a placeholder without a value. Values are not expanded
 * again.
 */
export function fill(
  text: string,
  values: Values,
  escape: (value: string) => string = (value) => value,
): string {
  return text.replace(pattern, (_all, name: string) => {
    if (!Object.hasOwn(values, name))
      throw new Error(`the template uses ${name}, which this mail does not have`);
    return escape(values[name] ?? '');
  });
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (value: string): string =>
  value.replace(/[&<>"']/g, (character) => entities[character] ?? '');
