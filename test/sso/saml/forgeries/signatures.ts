import { createHmac } from 'node:crypto';
import type { Craft } from '../craft.ts';
import {
  bare,
  putSignature,
  type Signing,
  signatureOf,
  transform,
  usualTransforms,
} from '../texts.ts';
import type { Forgery } from './forgery.ts';

// Missing signatures, and signatures by another key, with a weak algorithm or over another text.

const withSigning = (changes: Partial<Signing>) => (craft: Craft) =>
  craft.response(craft.sign(craft.assertion(), changes));
const withSignature = (change: (signature: string, craft: Craft) => string) => (craft: Craft) => {
  const text = craft.assertion();
  return craft.response(putSignature(text, change(signatureOf(text, { keys: craft.keys }), craft)));
};

const unknown = /not from any of the certificates/;
const xslt =
  '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"><xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0"><xsl:template match="/"><a></a></xsl:template></xsl:stylesheet></ds:Transform>';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const hmac = 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256';
const signByCertificate = (secret: (craft: Craft) => string) => (craft: Craft) =>
  withSigning({
    method: hmac,
    signValue: (signedInfo) =>
      createHmac('sha256', secret(craft)).update(signedInfo).digest('base64'),
  })(craft);

export const signatures: Record<string, Forgery> = {
  'no signature': {
    forge: (craft) => craft.response(craft.assertion()),
    says: /assertion is not signed/,
  },
  'a signed Response with an assertion that is not': {
    forge: (craft) => craft.sign(craft.response(craft.assertion())),
    says: /assertion is not signed/,
  },
  'signed with another key, under the right certificate': {
    forge: (craft) =>
      withSigning({ keys: { ...craft.foreign, certificate: craft.keys.certificate } })(craft),
    says: unknown,
  },
  'signed with another key, whose certificate is in the KeyInfo': {
    forge: (craft) => withSigning({ keys: craft.foreign })(craft),
    says: unknown,
  },
  'signed with another key, and both certificates in the KeyInfo': {
    forge: (craft) =>
      withSigning({
        keys: craft.foreign,
        keyInfo: `<ds:X509Data>${[craft.keys, craft.foreign].map(({ certificate }) => `<ds:X509Certificate>${bare(certificate)}</ds:X509Certificate>`).join('')}</ds:X509Data>`,
      })(craft),
    says: unknown,
  },
  'a Response signature of another key around a signed assertion': {
    forge: (craft) =>
      craft.sign(craft.response(craft.sign(craft.assertion())), { keys: craft.foreign }),
    says: /signature of the Response is not from any/,
  },
  'changed after signing': {
    forge: (craft) => withSigning({})(craft).replace(craft.person.nameId, 'admin-of-all'),
    says: unknown,
  },
  'an attribute added after signing': {
    forge: (craft) =>
      withSigning({})(craft).replace(
        '</saml:Assertion>',
        '<saml:AttributeStatement><saml:Attribute Name="groups"><saml:AttributeValue>admins</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>',
      ),
    says: unknown,
  },
  'SHA-1 in the signature': {
    forge: withSigning({ method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    says: /signed with "http.*rsa-sha1".*SHA-256/,
  },
  'SHA-1 in the digest': {
    forge: withSigning({
      digest: { algorithm: 'http://www.w3.org/2000/09/xmldsig#sha1', hash: 'sha1' },
    }),
    says: /digest in the assertion.*SHA-256/,
  },
  'MD5 in the signature': {
    forge: withSigning({ method: 'http://www.w3.org/2001/04/xmldsig-more#rsa-md5' }),
    says: /signed with/,
  },
  'an HMAC with the certificate as the secret': {
    forge: signByCertificate(({ keys }) => keys.certificate),
    says: /signed with "http.*hmac-sha256"/,
  },
  'an HMAC with an empty secret': {
    forge: signByCertificate(() => ''),
    says: /signed with "http.*hmac-sha256"/,
  },
  'an HMAC cut to nothing': {
    forge: withSignature((signature) =>
      signature.replace(
        '#rsa-sha256"></ds:SignatureMethod>',
        '#rsa-sha256"><ds:HMACOutputLength>0</ds:HMACOutputLength></ds:SignatureMethod>',
      ),
    ),
    says: /signed with/,
  },
  'ECDSA, which the library does not know': {
    forge: withSigning({ method: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256' }),
    says: /ECDSA/,
  },
  'a transform by XSLT': {
    forge: withSigning({ transforms: xslt + usualTransforms }),
    says: /transforms it in a way/,
  },
  'a transform by XSLT in place of the canonicalisation': {
    forge: withSigning({
      transforms: transform('http://www.w3.org/2000/09/xmldsig#enveloped-signature') + xslt,
    }),
    says: /canonicalised/,
  },
  'a transform by XPath': {
    forge: withSigning({
      transforms: `<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>false()</ds:XPath></ds:Transform>${transform(exclusive)}`,
    }),
    says: /transforms it in a way/,
  },
  'no transforms': { forge: withSigning({ transforms: '' }), says: /transforms it in a way/ },
  'two algorithms in one transform': {
    forge: withSignature((signature) =>
      signature.replace(
        '<ds:Transform Algorithm="http://www.w3.org/2001',
        '<ds:Transform xmlns:x="urn:x" x:Algorithm="urn:y" Algorithm="http://www.w3.org/2001',
      ),
    ),
    says: /canonicalised with nothing/,
  },
  'inclusive canonicalisation': {
    forge: withSigning({ canonicalisation: inclusive }),
    says: /canonicalised with/,
  },
  'canonicalisation with comments': {
    forge: withSigning({ canonicalisation: `${exclusive}WithComments` }),
    says: /canonicalised with/,
  },
  'a reference to the whole document': {
    forge: (craft) => craft.response(craft.sign(craft.assertion(), { uri: '' })),
    says: /is not over the assertion/,
  },
  'a reference to the Response': {
    forge: (craft) =>
      craft.response(craft.sign(craft.assertion(), { uri: '#_response' }), { id: '_response' }),
    says: /is not over the assertion/,
  },
  'a reference to another element': {
    forge: (craft) =>
      craft.response(
        craft.sign(craft.assertion(), {
          uri: '#_x',
          digested: '<x:y xmlns:x="urn:x" ID="_x"></x:y>',
        }),
        {
          before: '<samlp:Extensions><x:y xmlns:x="urn:x" ID="_x"></x:y></samlp:Extensions>',
        },
      ),
    says: /is not over the assertion/,
  },
  'a reference to an address': {
    forge: withSigning({ uri: 'http://127.0.0.1:9/x' }),
    says: /is not over the assertion/,
  },
  'two references': { forge: withSigning({ references: 2 }), says: /more than one Reference/ },
  'two SignedInfo': {
    forge: withSignature((signature, craft) => {
      const signedInfo =
        /<ds:SignedInfo>.*<\/ds:SignedInfo>/.exec(
          signatureOf(craft.evil, { keys: craft.foreign }),
        )?.[0] ?? '';
      return signature.replace('<ds:SignedInfo>', `${signedInfo}<ds:SignedInfo>`);
    }),
    says: /more than one SignedInfo/,
  },
  'a comment in the digest': {
    forge: withSignature((signature) =>
      signature.replace('<ds:DigestValue>', '<ds:DigestValue><!--AAAA-->'),
    ),
    says: /comments/,
  },
  'an element in the digest': {
    forge: withSignature((signature) =>
      signature.replace('<ds:DigestValue>', '<ds:DigestValue><ds:X>AAAA</ds:X>'),
    ),
    says: /DigestValue is not base64/,
  },
  'two digests': {
    forge: withSignature((signature) =>
      signature.replace(/<ds:DigestValue>.*<\/ds:DigestValue>/, '$&$&'),
    ),
    says: /more than one DigestValue/,
  },
  'an empty digest': {
    forge: withSignature((signature) =>
      signature.replace(
        /<ds:DigestValue>.*<\/ds:DigestValue>/,
        '<ds:DigestValue></ds:DigestValue>',
      ),
    ),
    says: /DigestValue is not base64/,
  },
  'no signature value': {
    forge: withSignature((signature) =>
      signature.replace(/<ds:SignatureValue>.*<\/ds:SignatureValue>/, ''),
    ),
    says: /no SignatureValue/,
  },
  'no reference': { forge: withSigning({ references: 0 }), says: /no Reference/ },
};
