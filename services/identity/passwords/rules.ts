import { findEmail } from '@bailiwick/contract';
import { invalid, type Params, type Problem, problem, type Rule } from '@bailiwick/errors';
import type { IsBreached } from './breached/breached.ts';

export type PasswordProfile = 'standard' | 'nist';

/** NIST SP 800-63B-4: 15 characters if the password is the only factor. */
export const minLengths: Record<PasswordProfile, number> = { standard: 8, nist: 15 };

const shortestWord = 4;

let common: Promise<ReadonlySet<string>> | undefined;

// About 30,000 passwords from known breaches. Loaded when the first password is set, since a
// replica that only checks tokens does not need them.
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].filter((word) => word.length >= 8)),
  );
  return common;
}

const aboutPassword = (rule: Rule, words: string, params?: Params): Problem =>
  problem('Password', rule, words, params);

const madeOf = aboutPassword(
  'guessable',
  "must not be made of the mail address or the product's name",
);

const tooShort = (length: number): Problem =>
  aboutPassword('min_len', `must be at least ${length} characters`, { Min: String(length) });

/**
 * Returns problems of a password that an attacker would try first, with or without knowing the
 * address. There are no composition rules: they make passwords harder to remember, not to guess.
 * `address` is the one in the request. Without `isBreached` passwords from breaches are allowed.
 */
export function createPasswordRules(profile: PasswordProfile, isBreached?: IsBreached) {
  return async (password: string, address = ''): Promise<Problem[]> => {
    if (password === '') return [];
    const text = password.normalize('NFKC').toLowerCase();
    const problems: Problem[] = [];
    if (Array.from(text).length < minLengths[profile]) problems.push(tooShort(minLengths[profile]));
    if ((await commonPasswords()).has(text))
      problems.push(aboutPassword('common', 'is one of the most common passwords'));
    if (isMadeOf(text, [...wordsOf(address), 'bailiwick'])) problems.push(madeOf);
    // Most common passwords are known from breaches too.
    if (problems.length === 0 && (await isBreached?.(password)))
      problems.push(aboutPassword('breached', 'is known from a data breach'));
    return problems;
  };
}

export type PasswordRules = ReturnType<typeof createPasswordRules>;

/**
 * Throws invalid_argument for a password made of the account's address, if the request lacks the
 * address.
 */
export function assertNotMadeOf(address: string, password: string): void {
  if (isMadeOf(password.normalize('NFKC').toLowerCase(), wordsOf(address))) throw invalid(madeOf);
}

/** Public facts about an account, which an attacker tries first. */
function wordsOf(address: string): string[] {
  const email = findEmail(address);
  if (!email) return [];
  const { key, domain } = email;
  return [key, domain, ...domain.split('.').slice(0, -1), key.slice(0, key.lastIndexOf('@'))];
}

/** Whether a password has hardly any characters besides one of these words. */
const isMadeOf = (text: string, words: readonly string[]): boolean =>
  words.some(
    (word) =>
      word.length >= shortestWord && text.includes(word) && text.replaceAll(word, '').length < 4,
  );
