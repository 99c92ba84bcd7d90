import { domainToASCII } from 'node:url';
import { invalid } from './errors.ts';
import { mapWidth } from './width.ts';

export type Email = {
  /** As it is shown and mailed to: trimmed, NFC. */
  address: string;
  /**
   * What makes it unique: the local part mapped in width and case and composed (UsernameCaseMapped, RFC 8265 section 3.3),
   * and the lower-case punycode domain.
   */
  key: string;
  /** The key as it was before widths were mapped: some stored rows still have it. */
  unmappedKey: string;
  /** Lower-case punycode. */
  domain: string;
};

/**
 * Reads a mail address: no folding of dots or "+", since that would be another mailbox.
 * What a request sends was checked before, its domain included (proto/mail-domain.ts); other texts are refused here.
 */
export function normaliseEmail(text: string): Email {
  const email = findEmail(text);
  if (!email) throw invalid('Email must be a mail address');
  return email;
}

/** The same of any text; undefined where it is no address. */
export function findEmail(text: string): Email | undefined {
  const address = text.trim().normalize('NFC');
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1)).toLowerCase();
  if (at < 1 || domain === '') return undefined;
  const local = address.slice(0, at);
  const key = `${mapWidth(local).toLowerCase().normalize('NFC')}@${domain}`;
  return { address, key, unmappedKey: `${local.toLowerCase()}@${domain}`, domain };
}
