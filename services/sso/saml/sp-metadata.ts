import { createHash } from 'node:crypto';
import { generateServiceProviderMetadata } from '@node-saml/node-saml';
import { contentAlgorithms } from './decrypt.ts';
import type { SamlProvider } from './provider.ts';
import { elementsOf, parseXml, type XmlElement } from './xml.ts';

/** The service provider metadata for an identity provider. Unchanged as long as the provider is. */
export function spMetadata({
  spEntityId,
  acsUrl,
  spPrivateKey,
  spCertificate,
  wantEncrypted,
}: SamlProvider): string {
  const text = generateServiceProviderMetadata({
    issuer: spEntityId,
    callbackUrl: acsUrl,
    privateKey: spPrivateKey,
    publicCerts: spCertificate,
    // Providers encrypt for every key that they see, some of them with algorithms that are refused.
    ...(wantEncrypted && { decryptionPvk: spPrivateKey, decryptionCert: spCertificate }),
    identifierFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    wantAssertionsSigned: true,
    generateUniqueId: () =>
      `_${createHash('sha256').update(spEntityId).digest('hex').slice(0, 40)}`,
  });
  // node-saml lists every algorithm it can decrypt; remove those that are rejected here.
  const entity = parseXml(text, { refuse: (detail) => new Error(`our metadata ${detail}`) });
  for (const method of elementsOf(entity).filter(
    ({ localName }) => localName === 'EncryptionMethod',
  ))
    if (!contentAlgorithms.includes(method.getAttribute('Algorithm')))
      (method.parentNode as XmlElement).removeChild(method);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${entity.toString()}\n`;
}
