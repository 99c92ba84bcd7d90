import type { Craft } from '../craft.ts';
import { honest } from '../craft.ts';
import type { Forgery } from './forgery.ts';

// XML that parsers read differently, and XML that exhausts a parser.

const named = (nameId: string) => (craft: Craft) =>
  craft.response(craft.sign(craft.assertion({ person: { ...craft.person, nameId } })));
const withDoctype = (doctype: string, entity: string) => (craft: Craft) =>
  `${doctype}${honest(craft).replace(craft.person.nameId, entity)}`;
const bomb = Array.from(
  { length: 9 },
  (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
).join('');
const extended = (inner: string) => (craft: Craft) =>
  craft.response(craft.sign(craft.assertion()), {
    before: `<samlp:Extensions>${inner}</samlp:Extensions>`,
  });

const hidden = /comments, processing instructions or CDATA/;
const doctype = /document type declaration/;

export const texts: Record<string, Forgery> = {
  // Canonical XML drops comments, so the signature stays valid after one is inserted.
  'a comment in the NameID': {
    forge: (craft) =>
      named('admin@corp.example.evil.example')(craft).replace(
        'corp.example.',
        'corp.example<!---->.',
      ),
    says: hidden,
  },
  'a comment in an attribute': {
    forge: (craft) =>
      honest(craft).replace('</saml:AttributeValue>', '<!--x--></saml:AttributeValue>'),
    says: hidden,
  },
  // The library's canonicalisation writes the data of a processing instruction as text.
  'a processing instruction in the NameID': {
    forge: (craft) =>
      named('admin@corp.example.evil.example')(craft).replace(
        'corp.example.evil.example',
        'corp.example<?x .evil.example?>',
      ),
    says: hidden,
  },
  'a processing instruction before the Response': {
    forge: (craft) => `<?xml-stylesheet href="http://127.0.0.1:9/"?>${honest(craft)}`,
    says: hidden,
  },
  'CDATA in the NameID': {
    forge: (craft) =>
      honest(craft).replace(craft.person.nameId, `<![CDATA[${craft.person.nameId}]]>`),
    says: hidden,
  },
  'a document type': { forge: withDoctype('<!DOCTYPE Response>', 'x'), says: doctype },
  'an entity': {
    forge: withDoctype('<!DOCTYPE Response [<!ENTITY who "admin">]>', '&who;'),
    says: doctype,
  },
  'an entity bomb': {
    forge: withDoctype(`<!DOCTYPE Response [<!ENTITY l0 "lol">${bomb}]>`, '&l9;'),
    says: doctype,
  },
  'an external entity': {
    forge: withDoctype('<!DOCTYPE Response [<!ENTITY who SYSTEM "file:///etc/passwd">]>', '&who;'),
    says: doctype,
  },
  'an external document type': {
    forge: withDoctype('<!DOCTYPE Response SYSTEM "http://127.0.0.1:9/x.dtd">', 'x'),
    says: doctype,
  },
  'a document type after a byte order mark': {
    forge: (craft) => `\uFEFF<?xml version="1.0"?><!doctype Response>${honest(craft)}`,
    says: doctype,
  },
  'an undeclared entity': {
    forge: (craft) => honest(craft).replace(craft.person.nameId, '&who;'),
    says: /not well-formed|not from any/,
  },
  'another encoding': {
    forge: (craft) => `<?xml version="1.0" encoding="UTF-7"?>${honest(craft)}`,
    says: /declares the encoding UTF-7/,
  },
  'XML 1.1': {
    forge: (craft) => `<?xml version="1.1"?>${honest(craft)}`,
    says: /is XML 1[.]1/,
  },
  'a NUL in the NameID': {
    forge: (craft) => honest(craft).replace(craft.person.nameId, `${craft.person.nameId}&#0;`),
    says: /characters that XML does not allow|not well-formed/,
  },
  'larger than 256 KiB': {
    forge: (craft) => honest(craft) + ' '.repeat(256 * 1024),
    says: /larger than 256 KiB/,
  },
  'many megabytes': {
    forge: () => 'A'.repeat(4_000_000),
    says: /larger than 256 KiB/,
    isEncoded: true,
  },
  'nested very deeply': {
    forge: (craft) => extended('<x>'.repeat(5000) + '</x>'.repeat(5000))(craft),
    says: /nested too deeply|too many elements/,
  },
  'nested deeply': {
    forge: (craft) => extended('<x>'.repeat(100) + '</x>'.repeat(100))(craft),
    says: /nested too deeply/,
  },
  'too many elements': {
    forge: (craft) => extended('<x/>'.repeat(40_000))(craft),
    says: /too many elements/,
  },
  'too many attributes': {
    forge: extended(
      `<x:x xmlns:x="urn:x" ${Array.from({ length: 20_000 }, (_, index) => `a${index}=""`).join(' ')}/>`,
    ),
    says: /too many attributes/,
  },
  'many attributes after a fake end of a tag': {
    forge: extended(
      `<x:x xmlns:x="urn:x" y=">" ${Array.from({ length: 20_000 }, (_, index) => `a${index}=""`).join(' ')}/>`,
    ),
    says: /too many attributes/,
  },
  'a namespace at each of many nested levels': {
    forge: extended(
      `${Array.from({ length: 5000 }, (_, index) => `<x xmlns:a${index}="urn:x">`).join('')}${'</x>'.repeat(5000)}`,
    ),
    says: /too many namespaces/,
  },
  'many namespaces, and many elements that add one': {
    forge: extended(
      `${Array.from({ length: 40 }, (_, part) => `<x ${Array.from({ length: 60 }, (__, index) => `xmlns:a${part}-${index}="urn:x"`).join(' ')}>`).join('')}${'<x xmlns:b="u:b"/>'.repeat(5000)}${'</x>'.repeat(40)}`,
    ),
    says: /too many namespaces/,
  },
  'not base64': { forge: () => 'what is this?', says: /not base64/, isEncoded: true },
  'base64 for addresses': { forge: () => 'PHg-PC94Pg__', says: /not base64/, isEncoded: true },
  'compressed, as for the redirect binding': {
    forge: () => 'fZJNb8IwDIb/SpQ7/QLGFrVIDDQJaRuIbjvsFlK3jZTGXZxu7N8vpUNDO3C0/fix3',
    says: /not base64|not UTF-8/,
    isEncoded: true,
  },
  'not UTF-8': {
    forge: () => Buffer.from([0x3c, 0x78, 0xff, 0xfe, 0x3e]).toString('base64'),
    says: /not UTF-8/,
    isEncoded: true,
  },
  nothing: { forge: () => '', says: /no SAMLResponse/, isEncoded: true },
  'not XML': { forge: () => 'hello', says: /not well-formed/ },
  truncated: { forge: (craft) => honest(craft).slice(0, -20), says: /not well-formed/ },
  'two documents': {
    forge: (craft) => honest(craft) + honest(craft),
    says: /not well-formed|more than one|does not belong/,
  },
  'text after the Response': {
    forge: (craft) => `${honest(craft)}x`,
    says: /not well-formed|neither/,
  },
  'an attribute without quotes': {
    forge: (craft) => honest(craft).replace('Version="2.0"', 'Version=2.0'),
    says: /not well-formed/,
  },
  'a duplicate attribute': {
    forge: (craft) => honest(craft).replace('Version="2.0"', 'Version="2.0" Version="2.0"'),
    says: /not well-formed/,
  },
  'a prefix that is not declared': {
    forge: extended('<q:y></q:y>'),
    says: /prefix that it does not declare/,
  },
  'a relative namespace': { forge: extended('<y xmlns="1"></y>'), says: /relative namespace/ },
};
