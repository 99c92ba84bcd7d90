import { randomInt } from 'node:crypto';

// Derives a slug from the name of a tenant created without one. Pure functions, except for the
// random suffix.

const maxBase = 50;

/** A slug from a name: "Bäckerei Müller & Co" → "backerei-muller-co". No letters: "tenant". */
export function slugFromName(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxBase)
    .replace(/^-+|-+$/g, '');
  if (words === '') return 'tenant';
  const slug = /^[a-z]/.test(words) ? words : `t-${words}`;
  return slug.length < 2 ? `${slug}-tenant` : slug;
}

/** The slug with four random characters, if it is taken. */
export function withSuffix(slug: string): string {
  return `${slug}-${randomInt(36 ** 4)
    .toString(36)
    .padStart(4, '0')}`;
}
