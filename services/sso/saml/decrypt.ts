import { promisify } from 'node:util';
import { decrypt } from 'xml-encryption';
import { answerInvalid, parseAnswer, quote } from './answer.ts';
import {
  attributesOf,
  elementsOf,
  findAttribute,
  isNamed,
  type XmlElement,
  type XmlName,
} from './xml.ts';

// Checks the encryption before anything is decrypted. PKCS #1 v1.5 is rejected, and CBC is accepted
// only inside a Response whose own signature was verified: both allow padding oracle attacks, with
// which an attacker who changes an encrypted assertion could decrypt it by many attempts.

/** The algorithms that are always accepted, which our metadata offers. */
export const contentAlgorithms: readonly string[] = [
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
];
const cbcAlgorithms = [
  'http://www.w3.org/2001/04/xmlenc#aes128-cbc',
  'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
];
const keyAlgorithms = [
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  'http://www.w3.org/2009/xmlenc11#rsa-oaep',
];

const decryptXml = promisify(decrypt);

/** Whether the content of an EncryptedAssertion is encrypted with CBC. */
export const usesCbc = (encrypted: XmlElement): boolean =>
  elementsOf(encrypted).some(
    (element) =>
      element.localName === 'EncryptionMethod' &&
      cbcAlgorithms.includes(findAttribute(element, 'Algorithm') ?? ''),
  );

/**
 * Decrypts an EncryptedAssertion. Successful decryption proves nothing: anyone can encrypt for us.
 *
 * @param isVerified whether the element is from a Response whose signature is valid
 */
export async function decryptAssertion(
  encrypted: XmlElement,
  privateKey: string,
  isVerified: boolean,
): Promise<{ text: string; assertion: XmlElement }> {
  assertEncryption(encrypted, isVerified);
  // Every failure has the same text, so that it says nothing of the content.
  try {
    const text = await decryptXml(encrypted.toString(), {
      key: privateKey,
      disallowDecryptionWithInsecureAlgorithm: !isVerified,
      warnInsecureAlgorithm: false,
    });
    return { text, assertion: parseAnswer(text) };
  } catch {
    throw answerInvalid(
      'The assertion cannot be decrypted: give the provider the encryption certificate of our metadata.',
    );
  }
}

/** Requires exactly one of each element, so that there is nothing to choose between. */
function assertEncryption(encrypted: XmlElement, isVerified: boolean): void {
  const elements = elementsOf(encrypted);
  const getOne = (local: string, name: XmlName, parent?: XmlElement) => {
    const matches = elements.filter(
      (element) => element.localName === local && (!parent || element.parentNode === parent),
    );
    if (matches.length !== 1 || !matches[0] || !isNamed(matches[0], name))
      throw answerInvalid(`The encrypted assertion does not have exactly one ${local}.`);
    return matches[0];
  };
  const encryptedData = getOne('EncryptedData', 'xenc:EncryptedData');
  const key = getOne('EncryptedKey', 'xenc:EncryptedKey');
  assertAlgorithm(
    getOne('EncryptionMethod', 'xenc:EncryptionMethod', encryptedData),
    isVerified ? [...contentAlgorithms, ...cbcAlgorithms] : contentAlgorithms,
    isVerified ? 'AES-GCM or AES-CBC' : 'AES-GCM, or sign the Response too',
  );
  assertAlgorithm(
    getOne('EncryptionMethod', 'xenc:EncryptionMethod', key),
    keyAlgorithms,
    'RSA-OAEP',
  );
  for (const parent of [encryptedData, key]) getOne('CipherData', 'xenc:CipherData', parent);
  for (const local of ['EncryptionMethod', 'CipherData', 'CipherValue'])
    if (elements.filter(({ localName }) => localName === local).length !== 2)
      throw answerInvalid(`The encrypted assertion has an unexpected ${local}.`);
  if (
    elements.some((element) => !/^(#[A-Za-z_][\w.-]*)?$/.test(findAttribute(element, 'URI') ?? ''))
  )
    throw answerInvalid('The encrypted assertion refers to something outside of it.');
}

function assertAlgorithm(method: XmlElement, accepted: readonly string[], words: string): void {
  const attributes = attributesOf(method).filter(
    ({ name }) => name.split(':').at(-1) === 'Algorithm',
  );
  const algorithm = attributes.length === 1 ? findAttribute(method, 'Algorithm') : undefined;
  if (algorithm === undefined || !accepted.includes(algorithm))
    throw answerInvalid(
      `The assertion is encrypted with ${quote(algorithm)}: let the provider use ${words}, or send the signed assertion as it is.`,
    );
}
