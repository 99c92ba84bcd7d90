import { domainToASCII } from 'node:url';
import { invalid, problem } from '@bailiwick/errors';
import { mapWidth } from './width.ts';

/** A parsed mail address. */
export type Email = {
  /** The address for display and mails: trimmed, NFC. */
  address: string;
  /**
   * The unique key: the local part mapped in width and case and composed (UsernameCaseMapped, RFC
   * 8265 section 3.3), and the lower-case punycode domain.
   */
  key: string;
  /** The key without width mapping, which some stored rows still have. */
  unmappedKey: string;
  /** Lower-case punycode. */
  domain: string;
};

/**
 * Parses a mail address. Dots and "+" are not folded, since that would be another mailbox. A dot
 * behind the domain, which says that the name is complete, is no part of the address.
 * Addresses in requests are already validated, including their domain (packages/contract/mail-domain.ts); other
 * texts are rejected here.
 */
export function normaliseEmail(text: string): Email {
  const email = findEmail(text);
  if (!email) throw invalid(problem('Email', 'email', 'must be a mail address'));
  return email;
}

/** Parses any text; undefined if it is not an address. */
export function findEmail(text: string): Email | undefined {
  const address = text
    .trim()
    .normalize('NFC')
    .replace(/[.\u3002\uff0e\uff61]$/, '');
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1)).toLowerCase();
  if (at < 1 || domain === '') return undefined;
  const local = address.slice(0, at);
  const key = `${mapWidth(local).toLowerCase().normalize('NFC')}@${domain}`;
  return { address, key, unmappedKey: `${local.toLowerCase()}@${domain}`, domain };
}
