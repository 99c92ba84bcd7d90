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

// Checks the encryption before node-saml decrypts. CBC and PKCS #1 v1.5 are rejected, because they
// allow padding oracle attacks: an attacker with an encrypted assertion could decrypt it by many
// attempts.

/** The accepted algorithms, which our metadata offers. */
export const contentAlgorithms: readonly string[] = [
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
];
const keyAlgorithms = [
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  'http://www.w3.org/2009/xmlenc11#rsa-oaep',
];

const decryptXml = promisify(decrypt);

/**
 * Decrypts an EncryptedAssertion. Successful decryption proves nothing: anyone can encrypt for us.
 */
export async function decryptAssertion(
  encrypted: XmlElement,
  privateKey: string,
): Promise<XmlElement> {
  assertEncryption(encrypted);
  return parseAnswer(await open(encrypted, privateKey));
}

async function open(encrypted: XmlElement, key: string): Promise<string> {
  try {
    return await decryptXml(encrypted.toString(), {
      key,
      disallowDecryptionWithInsecureAlgorithm: true,
    });
  } catch {
    throw answerInvalid(
      'The assertion cannot be decrypted: give the provider the encryption certificate of our metadata.',
    );
  }
}

/** Requires exactly one of each element, so that there is nothing to choose between. */
function assertEncryption(encrypted: XmlElement): void {
  const elements = elementsOf(encrypted);
  const getOne = (local: string, name: XmlName, parent?: XmlElement) => {
    const found = elements.filter(
      (element) => element.localName === local && (!parent || element.parentNode === parent),
    );
    if (found.length !== 1 || !found[0] || !isNamed(found[0], name))
      throw answerInvalid(`The encrypted assertion does not have exactly one ${local}.`);
    return found[0];
  };
  const data = getOne('EncryptedData', 'xenc:EncryptedData');
  const key = getOne('EncryptedKey', 'xenc:EncryptedKey');
  assertAlgorithm(
    getOne('EncryptionMethod', 'xenc:EncryptionMethod', data),
    contentAlgorithms,
    'AES-GCM',
  );
  assertAlgorithm(
    getOne('EncryptionMethod', 'xenc:EncryptionMethod', key),
    keyAlgorithms,
    'RSA-OAEP',
  );
  for (const parent of [data, key]) getOne('CipherData', 'xenc:CipherData', parent);
  for (const local of ['EncryptionMethod', 'CipherData', 'CipherValue'])
    if (elements.filter(({ localName }) => localName === local).length !== 2)
      throw answerInvalid(`The encrypted assertion has an unexpected ${local}.`);
  if (
    elements.some((element) => !/^(#[A-Za-z_][\w.-]*)?$/.test(findAttribute(element, 'URI') ?? ''))
  )
    throw answerInvalid('The encrypted assertion refers to something outside of it.');
}

function assertAlgorithm(method: XmlElement, accepted: readonly string[], words: string): void {
  const found = attributesOf(method).filter(({ name }) => name.split(':').at(-1) === 'Algorithm');
  const algorithm = found.length === 1 ? findAttribute(method, 'Algorithm') : undefined;
  if (algorithm === undefined || !accepted.includes(algorithm))
    throw answerInvalid(
      `The assertion is encrypted with ${quote(algorithm)}: let the provider use ${words}, or send the signed assertion as it is.`,
    );
}
