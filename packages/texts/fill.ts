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
  escape: (text: string) => string = (text) => text,
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

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** Any letter of the scripts that are written from right to left. */
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A name for a plain text. One with letters that are written from right to left is isolated, so that
 * it does not change the order of the words around it.
 */
export const isolated = (name: string): string =>
  rightToLeft.test(name) ? `\u2068${name}\u2069` : name;

/** A name in HTML, escaped and isolated from the text around it. */
export const isolatedHtml = (name: string): string => `<bdi>${escapeHtml(name)}</bdi>`;
