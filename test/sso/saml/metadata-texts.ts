import { bare, type Keys, signatureOf } from './texts.ts';

// The metadata of an identity provider, in the form that signatures cover.

export type MetadataParts = {
  entityId: string;
  ssoUrl: string;
  certificates: readonly string[];
  /** Signs the document. */
  signedBy?: Keys | undefined;
};

const binding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-';

/** The document, with its signature as the first child if there is one. */
export function metadataText(parts: MetadataParts): string {
  const { entityId, ssoUrl, certificates, signedBy } = parts;
  const keys = certificates
    .map(
      (certificate) =>
        `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${bare(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
    )
    .join('');
  const services = ['POST', 'Redirect']
    .map(
      (kind) =>
        `<md:SingleSignOnService Binding="${binding}${kind}" Location="${ssoUrl}"></md:SingleSignOnService>`,
    )
    .join('');
  const start = `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ID="_m1" entityID="${entityId}">`;
  const text = `${start}<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys}${services}</md:IDPSSODescriptor></md:EntityDescriptor>`;
  return signedBy ? text.replace(start, `${start}${signatureOf(text, { keys: signedBy })}`) : text;
}
