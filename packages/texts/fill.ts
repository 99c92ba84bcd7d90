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
    if (!Object.hasOwn(values, name)) throw new Error(`there is no value for {{${name}}}`);
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
