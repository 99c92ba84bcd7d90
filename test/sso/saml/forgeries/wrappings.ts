import type { Craft } from '../craft.ts';
import { putSignature, signatureOf } from '../texts.ts';
import type { Forgery } from './forgery.ts';

// Signature wrapping: the signature is valid, but a careless parser reads an unsigned assertion.
// The eight published variants and related ones.

const many = /more than one assertion/;

/** An honest assertion, its signature, and the signed assertion. */
function makeSigned(craft: Craft): { text: string; signature: string; signed: string } {
  const text = craft.assertion();
  const signature = signatureOf(text, { keys: craft.keys });
  return { text, signature, signed: putSignature(text, signature) };
}

/** The text, the signature and the whole of a signed Response. */
function makeResponse(craft: Craft): { text: string; signature: string } {
  const text = craft.response(craft.sign(craft.assertion()));
  return { text, signature: signatureOf(text, { keys: craft.keys }) };
}

const object = (inner: string) => `<ds:Object>${inner}</ds:Object>`;
const extensions = (inner: string) => `<samlp:Extensions>${inner}</samlp:Extensions>`;
const intoSignature = (signature: string, inner: string) =>
  signature.replace('</ds:Signature>', `${inner}</ds:Signature>`);
const closeInto = (text: string, inner: string) =>
  text.replace(/<\/saml:Assertion>$/, `${inner}</saml:Assertion>`);

export const wrappings: Record<string, Forgery> = {
  'wrapping 1: the signed Response inside the signature of another': {
    forge: (craft) => {
      const { text, signature } = makeResponse(craft);
      return craft.response(craft.evil, { before: intoSignature(signature, object(text)) });
    },
    says: many,
  },
  'wrapping 2: the signed Response beside its signature': {
    forge: (craft) => {
      const { text, signature } = makeResponse(craft);
      return craft.response(craft.evil, { before: text + signature });
    },
    says: many,
  },
  'wrapping 3: another assertion before the signed one': {
    forge: (craft) => craft.response(craft.evil + makeSigned(craft).signed),
    says: many,
  },
  'wrapping 4: the signed assertion inside another': {
    forge: (craft) => craft.response(closeInto(craft.evil, makeSigned(craft).signed)),
    says: many,
  },
  'wrapping 5: the signature moved to another assertion': {
    forge: (craft) => {
      const { text, signature } = makeSigned(craft);
      return craft.response(putSignature(craft.evil, signature) + text);
    },
    says: many,
  },
  'wrapping 6: the signed assertion inside the signature of another': {
    forge: (craft) => {
      const { text, signature } = makeSigned(craft);
      return craft.response(putSignature(craft.evil, intoSignature(signature, text)));
    },
    says: many,
  },
  'wrapping 7: another assertion in the Extensions': {
    forge: (craft) => craft.response(makeSigned(craft).signed, { before: extensions(craft.evil) }),
    says: many,
  },
  'wrapping 8: the signed assertion in an Object of the signature of another': {
    forge: (craft) => {
      const { text, signature } = makeSigned(craft);
      return craft.response(putSignature(craft.evil, intoSignature(signature, object(text))));
    },
    says: many,
  },
  'two signed assertions': {
    forge: (craft) => craft.response(makeSigned(craft).signed + makeSigned(craft).signed),
    says: many,
  },
  'the signed assertion in the Extensions alone': {
    forge: (craft) => craft.response('', { before: extensions(makeSigned(craft).signed) }),
    says: /not directly in the Response/,
  },
  'another assertion in the advice of the signed one': {
    forge: (craft) => {
      const advised = craft
        .assertion()
        .replace(
          '<saml:AuthnStatement',
          `<saml:Advice>${craft.evil.replace(' xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"', '')}</saml:Advice>$&`,
        );
      return craft.response(craft.sign(advised));
    },
    says: many,
  },
  'an assertion of another namespace beside the signed one': {
    forge: (craft) =>
      craft.response(
        makeSigned(craft).signed + craft.evil.replaceAll('SAML:2.0:assertion', 'SAML:2.0:other'),
      ),
    says: /does not belong|more than one/,
  },
  'two elements with one ID': {
    forge: (craft) =>
      craft.response(craft.sign(craft.assertion({ id: '_same' })), {
        before: extensions('<x:y xmlns:x="urn:x" ID="_same"></x:y>'),
      }),
    says: /the same ID/,
  },
  'the same ID in another namespace': {
    forge: (craft) =>
      craft.response(craft.sign(craft.assertion({ id: '_same' })), {
        before: extensions('<x:y xmlns:x="urn:x" x:Id="_same"></x:y>'),
      }),
    says: /the same ID/,
  },
  'a second signature that is not a child of what it signs': {
    forge: (craft) =>
      craft.response(makeSigned(craft).signed, { before: extensions(makeSigned(craft).signature) }),
    says: /signature where none belongs/,
  },
  'a signature of another namespace': {
    forge: (craft) =>
      craft.response(
        makeSigned(craft).signed.replaceAll(
          'http://www.w3.org/2000/09/xmldsig#"',
          'http://www.w3.org/2000/09/xmldsig"',
        ),
      ),
    says: /does not belong|signature where none belongs/,
  },
  'a signature of another assertion': {
    forge: (craft) => craft.response(putSignature(craft.evil, makeSigned(craft).signature)),
    says: /is not over the assertion/,
  },
};
