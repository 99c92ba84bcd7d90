import { invalid, ServiceError } from '@bailiwick/errors';
import { normaliseCertificate } from './certificates.ts';
import type { SamlProvider } from './provider.ts';
import {
  childrenNamed,
  elementsOf,
  findAttribute,
  findChild,
  findText,
  isNamed,
  namespaces,
  parseXml,
  type XmlElement,
} from './xml.ts';

const bindings = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
} as const;

/** Limits of a provider's record. */
const maxCertificates = 5;
const maxUrl = 2048;

type Service = Pick<SamlProvider, 'idpSsoUrl' | 'requestBinding'>;

export type IdpMetadata = Pick<SamlProvider, 'idpEntityId'> &
  Service & {
    idpCertificates: string[];
    /** Why further certificates for signing were left out. */
    leftOut?: readonly string[];
  };

export const refuse = (detail: string) =>
  invalid(`the metadata ${detail}`, 'METADATA_INVALID', { Detail: detail });

/**
 * Reads an identity provider's metadata. Signatures in it are not checked: the administrator is
 * responsible for its source.
 */
export function readIdpMetadata(xml: string, now = new Date()): IdpMetadata {
  const { root, entity } = parseMetadata(xml);
  for (const element of [root, entity]) assertCurrent(element, now);
  const idpEntityId = findAttribute(entity, 'entityID')?.trim() ?? '';
  if (idpEntityId === '' || idpEntityId.length > 1024)
    throw refuse('has no entity id, or one that is too long');
  const [role, ...more] = idpRolesOf(entity);
  if (!role)
    throw refuse(
      childrenNamed(entity, 'md:SPSSODescriptor').length > 0
        ? 'is that of a service, not of an identity provider'
        : 'is not that of a SAML 2.0 identity provider',
    );
  if (more.length > 0) throw refuse('describes the identity provider more than once');
  assertCurrent(role, now);
  return { idpEntityId, ...getService(role), ...getCertificates(role) };
}

/** The document, and the entity of its identity provider. */
export function parseMetadata(xml: string): { root: XmlElement; entity: XmlElement } {
  const text = xml.replace(/^\uFEFF/, '');
  if (/^\s{0,100}<(?:!doctype\s{1,100}html|html)\b/i.test(text))
    throw refuse('is an HTML page: give the address or the text of the XML itself');
  const root = parseXml(text, { refuse, hasComments: true });
  return { root, entity: getEntity(root) };
}

/** Metadata must not be used after their `validUntil` (SAML Metadata, section 2.3.1). */
function assertCurrent(element: XmlElement, now: Date): void {
  const text = findAttribute(element, 'validUntil')?.trim();
  if (text === undefined) return;
  // Without a zone the time is in UTC.
  const until = new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(until.getTime())) throw refuse('has a validUntil that is not a time');
  if (until <= now)
    throw refuse(`was valid until ${until.toISOString()}: get the present one of the provider`);
}

function getEntity(root: XmlElement): XmlElement {
  if (isNamed(root, 'md:EntityDescriptor')) return root;
  if (!isNamed(root, 'md:EntitiesDescriptor'))
    throw refuse('is not SAML metadata: its first element has to be an EntityDescriptor');
  const entities = elementsOf(root).filter((element) => isNamed(element, 'md:EntityDescriptor'));
  const [first] = entities;
  if (!first) throw refuse('describes no entity');
  const providers = entities.filter((entity) => idpRolesOf(entity).length > 0);
  if (providers.length > 1)
    throw refuse(
      `describes ${providers.length} identity providers: give the metadata of yours alone`,
    );
  return providers[0] ?? first;
}

const idpRolesOf = (entity: XmlElement): XmlElement[] =>
  childrenNamed(entity, 'md:IDPSSODescriptor').filter((role) =>
    (findAttribute(role, 'protocolSupportEnumeration') ?? '')
      .split(/\s+/)
      .includes(namespaces.samlp),
  );

/** Prefers the redirect binding, which needs no intermediate page. */
function getService(role: XmlElement): Service {
  const [service] = servicesOf(role);
  if (!service) throw refuse('has no sign-on address for HTTP-Redirect or HTTP-POST');
  const { idpSsoUrl } = service;
  if (idpSsoUrl.length > maxUrl)
    throw refuse(`has a sign-on address of more than ${maxUrl} characters`);
  if (!URL.canParse(idpSsoUrl) || !/^https?:$/.test(new URL(idpSsoUrl).protocol))
    throw refuse('has a sign-on address that is not a URL');
  return service;
}

const servicesOf = (role: XmlElement): Service[] =>
  (['redirect', 'post'] as const).flatMap((requestBinding) =>
    childrenNamed(role, 'md:SingleSignOnService')
      .filter((service) => findAttribute(service, 'Binding') === bindings[requestBinding])
      .flatMap((service) => findAttribute(service, 'Location')?.trim() ?? [])
      .map((idpSsoUrl) => ({ idpSsoUrl, requestBinding })),
  );

/** Whether metadata, which have been read before, name a sign-on address with its binding. */
export const namesService = (xml: string, { idpSsoUrl, requestBinding }: Service): boolean =>
  idpRolesOf(parseMetadata(xml).entity)
    .flatMap(servicesOf)
    .some(
      (service) => service.idpSsoUrl === idpSsoUrl && service.requestBinding === requestBinding,
    );

function getCertificates(role: XmlElement): Pick<IdpMetadata, 'idpCertificates' | 'leftOut'> {
  const certificates = new Set<string>();
  const faults: ServiceError[] = [];
  for (const text of childrenNamed(role, 'md:KeyDescriptor').flatMap(signingCertificates)) {
    try {
      certificates.add(normaliseCertificate(text));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push(error);
    }
  }
  if (certificates.size > maxCertificates)
    throw refuse(`has more than ${maxCertificates} certificates for signing`);
  const leftOut = [...new Set(faults.map(({ message }) => message))];
  if (certificates.size > 0)
    return { idpCertificates: [...certificates], ...(leftOut.length > 0 && { leftOut }) };
  throw faults[0] ?? refuse('has no certificate for signing');
}

function signingCertificates(descriptor: XmlElement): string[] {
  if ((findAttribute(descriptor, 'use') ?? 'signing') !== 'signing') return [];
  const keyInfo = findChild(descriptor, 'ds:KeyInfo');
  const x509Data = keyInfo ? childrenNamed(keyInfo, 'ds:X509Data') : [];
  return x509Data
    .flatMap((element) => childrenNamed(element, 'ds:X509Certificate'))
    .map((certificate) => findText(certificate) ?? '');
}
