import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { inflateRawSync } from 'node:zlib';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { craftFor, honest, type Situation } from './craft.ts';
import { forgeries } from './forgeries/forgeries.ts';
import { bare, escapeXml, type Keys, type Person } from './texts.ts';

// A SAML identity provider that answers correctly until it is armed with a forgery. It accepts
// requests by redirect and by POST, has no login page, and responds with an HTML form.

export type EvilIdp = {
  entityId: string;
  ssoUrl: string;
  /** The URL for an IdP-initiated response; query: `acsUrl`, `spEntityId`, `RelayState`. */
  unsolicitedUrl: string;
  certificate: string;
  metadataXml: string;
  /** Makes all later responses this forgery; without a name, honest ones. */
  arm(name?: string): void;
  setPerson(person: Person): void;
  /**
   * Encrypts later honest assertions for this SP certificate, with CBC in a signed Response or with
   * GCM; undefined stops it.
   */
  encryptFor(certificate: string | undefined, content?: 'gcm' | 'cbc'): void;
  /** The NameID element of later honest assertions; undefined = that of the person. */
  setNameId(nameId: string | undefined): void;
  /** Signs all later responses with other keys; undefined = the first ones. */
  setKeys(keys: Keys | undefined): void;
  /** The XML of the last request. */
  lastRequest(): string;
  stop(): Promise<void>;
};

export const ada: Person = {
  nameId: 'ada-1815',
  attributes: {
    mail: ['ada@corp.example'],
    displayName: ['Ada Lovelace'],
    groups: ['staff', 'engineers & poets'],
  },
};

type SamlRequest = {
  acsUrl: string;
  spEntityId: string;
  requestId: string | undefined;
  relayState: string;
};

export async function startEvilIdp(): Promise<EvilIdp> {
  const [keys, foreign] = await Promise.all([
    createSpCertificate('Evil IdP'),
    createSpCertificate('Nobody'),
  ]);
  const state = {
    forgery: undefined as string | undefined,
    person: ada,
    encryptsFor: undefined as string | undefined,
    content: 'gcm' as 'gcm' | 'cbc',
    nameId: undefined as string | undefined,
    lastRequest: '',
    keys,
  };
  const server = createServer((request, response) => {
    serve(request).then(
      (page) =>
        response
          .writeHead(200, {
            'content-type': 'text/html; charset=utf-8',
            'cache-control': 'no-store',
          })
          .end(page),
      (error: unknown) => fail(response, error),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const entityId = `${origin}/metadata`;

  async function serve(request: IncomingMessage): Promise<string> {
    const samlRequest = await readRequest(request, origin, (xml) => {
      state.lastRequest = xml;
    });
    const situation = {
      ...samlRequest,
      entityId,
      keys: state.keys,
      foreign,
      person: state.person,
      spCertificate: state.encryptsFor ?? foreign.certificate,
      now: new Date(),
    };
    return page(samlRequest, await answer(situation, state));
  }

  return {
    entityId,
    ssoUrl: `${origin}/sso`,
    unsolicitedUrl: `${origin}/unsolicited`,
    certificate: keys.certificate,
    metadataXml: metadataOf(entityId, `${origin}/sso`, keys),
    arm: (name) => {
      if (name !== undefined && !forgeries[name]) throw new Error(`unknown forgery "${name}"`);
      state.forgery = name;
    },
    setPerson: (person) => {
      state.person = person;
    },
    encryptFor: (certificate, content = 'gcm') => {
      state.encryptsFor = certificate;
      state.content = content;
    },
    setNameId: (nameId) => {
      state.nameId = nameId;
    },
    setKeys: (other) => {
      state.keys = other ?? keys;
    },
    lastRequest: () => state.lastRequest,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const xmlenc = 'http://www.w3.org/2001/04/xmlenc#';

/** The SAMLResponse to post. */
async function answer(
  situation: Situation,
  {
    forgery,
    encryptsFor,
    content,
    nameId,
  }: {
    forgery: string | undefined;
    encryptsFor: string | undefined;
    content: 'gcm' | 'cbc';
    nameId: string | undefined;
  },
): Promise<string> {
  const craft = craftFor(situation);
  const encode = (xml: string) => Buffer.from(xml).toString('base64');
  const armed = forgery === undefined ? undefined : forgeries[forgery];
  if (armed) return armed.isEncoded ? armed.forge(craft) : encode(await armed.forge(craft));
  if (nameId !== undefined) return encode(craft.response(craft.sign(craft.assertion({ nameId }))));
  if (encryptsFor === undefined) return encode(honest(craft));
  const algorithm = content === 'cbc' ? { content: `${xmlenc}aes256-cbc` } : {};
  const response = craft.response(await craft.encrypt(craft.sign(craft.assertion()), algorithm));
  return encode(content === 'cbc' ? craft.sign(response) : response);
}

async function readRequest(
  request: IncomingMessage,
  origin: string,
  note: (xml: string) => void,
): Promise<SamlRequest> {
  const { pathname, searchParams } = new URL(request.url ?? '/', origin);
  const relayState = searchParams.get('RelayState') ?? '';
  if (pathname === '/unsolicited')
    return {
      acsUrl: searchParams.get('acsUrl') ?? '',
      spEntityId: searchParams.get('spEntityId') ?? '',
      requestId: undefined,
      relayState,
    };
  if (pathname !== '/sso') throw new Error(`unknown path ${pathname}`);
  const isPost = request.method === 'POST';
  const parameters = isPost ? new URLSearchParams(await readText(request)) : searchParams;
  const bytes = Buffer.from(parameters.get('SAMLRequest') ?? '', 'base64');
  const xml = (isPost ? bytes : inflateRawSync(bytes)).toString();
  note(xml);
  const find = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? '';
  return {
    acsUrl: find(/ AssertionConsumerServiceURL="([^"]*)"/),
    spEntityId: find(/<saml:Issuer[^>]*>([^<]*)</),
    requestId: find(/<samlp:AuthnRequest[^>]* ID="([^"]*)"/),
    relayState: parameters.get('RelayState') ?? '',
  };
}

function page({ acsUrl, relayState }: SamlRequest, encoded: string): string {
  const field = (name: string, content: string) =>
    `<input type="hidden" name="${name}" value="${escapeXml(content)}">`;
  const fields =
    field('SAMLResponse', encoded) + (relayState === '' ? '' : field('RelayState', relayState));
  return `<!doctype html><html lang="en"><title>Signing in</title><body onload="document.forms[0].submit()"><form method="post" action="${escapeXml(acsUrl)}">${fields}<button>Continue</button></form></body></html>`;
}

function fail(response: ServerResponse, error: unknown): void {
  response
    .writeHead(400, { 'content-type': 'text/plain' })
    .end(error instanceof Error ? error.message : 'failed');
}

function metadataOf(entityId: string, ssoUrl: string, { certificate }: Keys): string {
  const binding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-';
  return `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${entityId}">
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" WantAuthnRequestsSigned="true">
    <md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${bare(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:SingleSignOnService Binding="${binding}POST" Location="${ssoUrl}"/>
    <md:SingleSignOnService Binding="${binding}Redirect" Location="${ssoUrl}"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;
}
