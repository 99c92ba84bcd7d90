import { ServiceError } from '@bailiwick/errors';
import { SignInRefused } from '../refusal.ts';
import { normaliseCertificate } from './certificates.ts';
import { verifiedBy } from './library.ts';
import { type IdpMetadata, parseMetadata, readIdpMetadata, refuse } from './metadata.ts';
import { assertSignature } from './signature.ts';
import { elementsOf, findChild, findText, isNamed, type XmlElement } from './xml.ts';

// The signature of metadata that are read again and again. The administrator is responsible for the
// source of the first document, so its own key is trusted; later ones have to be signed by a key that
// is trusted already.

/** Metadata with the text that was read, which is the signed part of a signed document. */
export type SourcedMetadata = IdpMetadata & {
  text: string;
  /** The certificate whose key has signed them; "" = they are not signed. */
  signer: string;
};

/** Reads the first document from an address. */
export function readFirstMetadata(xml: string, now = new Date()): SourcedMetadata {
  const unverified = readIdpMetadata(xml, now);
  const signed = findSigned(xml);
  if (!signed) return { ...unverified, text: xml, signer: '' };
  const named = [...certificatesIn(signed), ...unverified.idpCertificates];
  return verify(xml, { signed, keys: named }, now);
}

/** Reads a later document. `keys`: the certificates whose keys may have signed it; none = it may be unsigned. */
export function readLaterMetadata(
  xml: string,
  keys: readonly string[],
  now = new Date(),
): SourcedMetadata {
  const unverified = readIdpMetadata(xml, now);
  if (keys.length === 0) return { ...unverified, text: xml, signer: '' };
  const signed = findSigned(xml);
  if (!signed) throw refuse('is not signed, although the first one was');
  return verify(xml, { signed, keys }, now);
}

/** The signed element: the whole document, or the entity in it. */
function findSigned(xml: string): XmlElement | undefined {
  const { root, entity } = parseMetadata(xml);
  return [root, entity].find((element) => findChild(element, 'ds:Signature') !== undefined);
}

type Signed = { signed: XmlElement; keys: readonly string[] };

function verify(xml: string, { signed, keys }: Signed, now: Date): SourcedMetadata {
  try {
    assertSignature(signed, 'metadata');
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    throw refuse(`has a signature that cannot be used: ${error.detail}`);
  }
  for (const signer of new Set(keys)) {
    const text = verifiedBy(xml.replace(/^\uFEFF/, ''), signed, signer);
    // Only the signed part is read.
    if (text !== null) return { ...readIdpMetadata(text, now), text, signer };
  }
  throw refuse('has a signature that is not by a trusted key, or was changed after it was signed');
}

/** As many as one signature may name: each of them takes a verification of the whole document. */
const maxNamed = 5;

/** The usable certificates in the signature's KeyInfo. */
function certificatesIn(signed: XmlElement): string[] {
  const signature = findChild(signed, 'ds:Signature');
  const named = (signature ? elementsOf(signature) : []).filter((element) =>
    isNamed(element, 'ds:X509Certificate'),
  );
  if (named.length > maxNamed)
    throw refuse(`has a signature that names more than ${maxNamed} certificates`);
  return named.flatMap((element) => usableCertificate(findText(element) ?? ''));
}

function usableCertificate(text: string): string[] {
  try {
    return [normaliseCertificate(text)];
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}
