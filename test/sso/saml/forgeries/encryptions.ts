import type { Craft } from '../craft.ts';
import type { Forgery } from './forgery.ts';

// Assertions encrypted for the service. The certificate is public, so encryption does not prove the
// sender.

const cbc = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc';

const signed = (craft: Craft) => craft.sign(craft.assertion());
const sealed = (inner: (craft: Craft) => string) => async (craft: Craft) =>
  craft.response(await craft.encrypt(inner(craft)));
/** Cuts the last CipherValue to this number of base64 characters. */
const cut = (text: string, characters: number) => {
  const at = text.lastIndexOf('<xenc:CipherValue>') + '<xenc:CipherValue>'.length;
  return text.slice(0, at + characters) + text.slice(text.lastIndexOf('</xenc:CipherValue>'));
};

export const encryptions: Record<string, Forgery> = {
  'encrypted and not signed': {
    forge: sealed((craft) => craft.assertion()),
    says: /assertion is not signed/,
  },
  'encrypted and signed with another key': {
    forge: sealed((craft) => craft.sign(craft.assertion(), { keys: craft.foreign })),
    says: /not from any of the certificates/,
  },
  'encrypted and signed with SHA-1': {
    forge: sealed((craft) =>
      craft.sign(craft.assertion(), { method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    ),
    says: /signed with "http.*rsa-sha1"/,
  },
  'encrypted, not signed, in a signed Response': {
    forge: async (craft) => craft.sign(craft.response(await craft.encrypt(craft.assertion()))),
    says: /assertion is not signed|not from any/,
  },
  'encrypted for another key': {
    forge: async (craft) =>
      craft.response(
        await craft.encrypt(signed(craft), { certificate: craft.foreign.certificate }),
      ),
    says: /cannot be decrypted/,
  },
  'encrypted with CBC': {
    forge: async (craft) =>
      craft.response(
        await craft.encrypt(signed(craft), {
          content: cbc,
        }),
      ),
    says: /encrypted with "http.*aes256-cbc": let the provider use AES-GCM, or sign the Response/,
  },
  'encrypted with CBC in a Response that is signed with another key': {
    forge: async (craft) =>
      craft.sign(craft.response(await craft.encrypt(signed(craft), { content: cbc })), {
        keys: craft.foreign,
      }),
    says: /signature of the Response is not from any/,
  },
  'a CBC ciphertext that was changed in a signed Response': {
    forge: async (craft) =>
      cut(craft.sign(craft.response(await craft.encrypt(signed(craft), { content: cbc }))), 400),
    says: /signature of the Response is not from any/,
  },
  'a truncated CBC ciphertext that the provider has signed': {
    forge: async (craft) =>
      craft.sign(craft.response(cut(await craft.encrypt(signed(craft), { content: cbc }), 400))),
    says: /cannot be decrypted/,
  },
  'encrypted with CBC and not signed, in a signed Response': {
    forge: async (craft) =>
      craft.sign(craft.response(await craft.encrypt(craft.assertion(), { content: cbc }))),
    says: /assertion is not signed/,
  },
  'encrypted with CBC, signed with another key, in a signed Response': {
    forge: async (craft) => {
      const inner = craft.sign(craft.assertion(), { keys: craft.foreign });
      return craft.sign(craft.response(await craft.encrypt(inner, { content: cbc })));
    },
    says: /signature of the assertion is not from any/,
  },
  'a PKCS #1 v1.5 key and CBC in a signed Response': {
    forge: async (craft) => {
      const weak = { content: cbc, key: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' };
      return craft.sign(craft.response(await craft.encrypt(signed(craft), weak)));
    },
    says: /encrypted with "http.*rsa-1_5": let the provider use RSA-OAEP/,
  },
  'triple DES in a signed Response': {
    forge: async (craft) => {
      const weak = { content: 'http://www.w3.org/2001/04/xmlenc#tripledes-cbc' };
      return craft.sign(craft.response(await craft.encrypt(signed(craft), weak)));
    },
    says: /encrypted with "http.*tripledes-cbc"/,
  },
  'a key encrypted with PKCS #1 v1.5': {
    forge: async (craft) =>
      craft.response(
        await craft.encrypt(signed(craft), { key: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' }),
      ),
    says: /encrypted with "http.*rsa-1_5": let the provider use RSA-OAEP/,
  },
  'an encrypted assertion, and another one beside it': {
    forge: async (craft) => craft.response((await craft.encrypt(signed(craft))) + craft.evil),
    says: /more than one assertion/,
  },
  'an encrypted assertion, and another one before it': {
    forge: async (craft) => craft.response(craft.evil + (await craft.encrypt(signed(craft)))),
    says: /more than one assertion/,
  },
  'two encrypted assertions': {
    forge: async (craft) =>
      craft.response((await craft.encrypt(signed(craft))) + (await craft.encrypt(signed(craft)))),
    says: /more than one assertion/,
  },
  'two contents in one encrypted assertion': {
    forge: async (craft) => {
      const [one, other] = [await craft.encrypt(signed(craft)), await craft.encrypt(craft.evil)];
      const content = /<xenc:EncryptedData.*<\/xenc:EncryptedData>/s.exec(other)?.[0] ?? '';
      return craft.response(
        one.replace('</saml:EncryptedAssertion>', `${content}</saml:EncryptedAssertion>`),
      );
    },
    says: /exactly one EncryptedData/,
  },
  'two assertions in one encrypted content': {
    forge: sealed((craft) => signed(craft) + craft.evil),
    says: /cannot be decrypted/,
  },
  'an encrypted wrapping': {
    forge: sealed((craft) =>
      craft.evil.replace(/<\/saml:Assertion>$/, `${signed(craft)}</saml:Assertion>`),
    ),
    says: /more than one assertion/,
  },
  'an encrypted Response': {
    forge: sealed((craft) => craft.response(signed(craft))),
    says: /no assertion/,
  },
  'a comment in an encrypted NameID': {
    forge: sealed((craft) =>
      signed(craft).replace(craft.person.nameId, (name) => `${name}<!---->`),
    ),
    says: /cannot be decrypted/,
  },
  'a document type in an encrypted assertion': {
    forge: sealed((craft) => `<!DOCTYPE a [<!ENTITY b "c">]>${signed(craft)}`),
    says: /cannot be decrypted/,
  },
  'a key at another address': {
    forge: async (craft) =>
      craft.response(
        (await craft.encrypt(signed(craft))).replace(
          '<e:EncryptedKey',
          '<e:EncryptedKey URI="http://127.0.0.1:9/x"',
        ),
      ),
    says: /refers to something outside|exactly one/,
  },
  'a truncated ciphertext': {
    forge: async (craft) => craft.response(cut(await craft.encrypt(signed(craft)), 400)),
    says: /cannot be decrypted/,
  },
  'a ciphertext of only a tag': {
    forge: async (craft) => craft.response(cut(await craft.encrypt(signed(craft)), 24)),
    says: /cannot be decrypted/,
  },
};
