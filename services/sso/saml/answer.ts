import { Buffer } from 'node:buffer';
import { SignInRefused } from '../refusal.ts';
import { parseXml, type XmlElement } from './xml.ts';
import { maxBytes } from './xml-text.ts';

/** The refusal of an answer, with a detail for the tenant's administrators. */
export const answerInvalid = (detail: string): SignInRefused =>
  new SignInRefused('ANSWER_INVALID', detail);

/** The corresponding maximum in base64 characters, with line breaks. */
const maxEncoded = Math.ceil((maxBytes / 3) * 4 * 1.1);

/** Decodes the Response of the POST binding. */
export function decodeAnswer(parameters: Readonly<Record<string, string>>): string {
  const encoded = Object.hasOwn(parameters, 'SAMLResponse') ? parameters.SAMLResponse : undefined;
  if (!encoded) throw answerInvalid('The answer has no SAMLResponse.');
  if (encoded.length > maxEncoded)
    throw answerInvalid(`The answer is larger than ${maxBytes / 1024} KiB.`);
  const bare = encoded.replace(/[\r\n\t ]+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(bare) || bare.length % 4 !== 0)
    throw answerInvalid('The SAMLResponse is not base64.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bare, 'base64'));
  } catch {
    throw answerInvalid('The SAMLResponse is not UTF-8.');
  }
}

export const parseAnswer = (text: string): XmlElement =>
  parseXml(text, { refuse: (detail) => answerInvalid(`The answer ${detail}.`) });

/** Quotes an untrusted name or URL if it contains only harmless characters. */
export const quote = (text: string | undefined): string => {
  if (text === undefined || text === '') return 'nothing';
  return /^[\x21\x23-\x3f\x41-\x7e]{1,200}$/.test(text) ? `"${text}"` : 'something else';
};
