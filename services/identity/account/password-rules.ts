import { invalid } from '@bailiwick/shared/errors.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';

export type PasswordProfile = 'standard' | 'nist';

/** NIST SP 800-63B-4: 15 characters where the password is the only factor. */
const minLengths: Record<PasswordProfile, number> = { standard: 8, nist: 15 };

const shortestLocalPart = 4;

let common: Promise<ReadonlySet<string>> | undefined;

// Some thirty thousand passwords from known breaches: loaded when the first password is set, since a replica that
// only checks tokens needs none of it.
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common'].filter((word) => word.length >= 8)));
  return common;
}

/**
 * Refuses passwords that somebody who knows nothing, or only the address, would try first. There are no rules of
 * composition: they make passwords harder to remember and not harder to guess.
 */
export function createPasswordRules(profile: PasswordProfile) {
  return async (password: string, email: string, field = 'Password'): Promise<void> => {
    const text = password.normalize('NFKC').toLowerCase();
    const problems: string[] = [];
    if (Array.from(text).length < minLengths[profile]) problems.push(`${field} must be at least ${minLengths[profile]} characters`);
    if ((await commonPasswords()).has(text)) problems.push(`${field} is one of the most common passwords`);
    if (isAboutTheAccount(text, email)) problems.push(`${field} must not be made of the mail address or the product's name`);
    if (problems.length > 0) throw invalid(problems, 'WEAK_PASSWORD');
  };
}

export type PasswordRules = ReturnType<typeof createPasswordRules>;

/** Whether hardly anything is left of the password without what everybody knows: address, domain, product. */
function isAboutTheAccount(text: string, email: string): boolean {
  const { key, domain } = normaliseEmail(email);
  const local = key.slice(0, key.lastIndexOf('@'));
  const words = [key, domain, ...domain.split('.').slice(0, -1), local, 'bailiwick'].filter((word) => word.length >= shortestLocalPart);
  return words.some((word) => text.includes(word) && text.replaceAll(word, '').length < 4);
}
