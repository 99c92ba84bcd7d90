// The formats of rules.proto that several schemas share.

const segment = '[A-Za-z0-9][A-Za-z0-9._-]{0,62}';

export const idPattern = (prefix: string) => `${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}`;
export const pathPattern = `/?${segment}(/${segment}){0,7}`;
export const permissionPattern =
  '([*]|[a-z][a-z0-9_-]*([.:][a-z0-9_-]+){0,4}[.:]([a-z0-9_-]+|[*]))';
export const httpsPattern = 'https://[A-Za-z0-9.-]+(:[0-9]{1,5})?([/?#][!-~]*)?';
export const webPattern = httpsPattern.replace('https', 'https?');
export const slugPattern = '[a-z][a-z0-9-]{1,62}';
/**
 * A visible character, which the rule `name` requires. The pattern leaves out that names are one
 * line: generators of requests take minutes for one that says both.
 */
export const namePattern =
  '[^\\u0009-\\u000d \\u00a0\\u00ad\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff]';
const marks = '\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069';
/** The rules `one_line` and `plain_text`. */
export const linePattern = `^[^\\u0000-\\u001f${marks}]*$`;
export const textPattern = `^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f${marks}]*$`;
