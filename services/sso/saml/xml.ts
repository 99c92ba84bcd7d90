import { createRequire } from 'node:module';
import { assertText, type Refuse } from './xml-text.ts';

// Uses the same parser as node-saml and xml-crypto: two parsers could read a text differently, and
// one would accept what the other has not checked. Loaded with createRequire, because its type
// declarations include the whole DOM library.

/** The used part of the DOM. */
type XmlNode = {
  nodeType: number;
  nodeName: string;
  data?: string;
  childNodes: ArrayLike<XmlNode>;
  parentNode: XmlNode | null;
};
export type XmlAttribute = {
  name: string;
  localName: string;
  prefix?: string | null;
  value: string;
};
export type XmlElement = XmlNode & {
  localName: string;
  prefix?: string | null;
  namespaceURI: string | null;
  textContent: string;
  attributes: { length: number; item(index: number): XmlAttribute };
  getAttribute(name: string): string;
  hasAttribute(name: string): boolean;
  removeChild(child: XmlElement): void;
  toString(): string;
};
type Xmldom = {
  DOMParser: new (options: {
    errorHandler: (level: string, message: string) => void;
  }) => {
    parseFromString(text: string, type: string): { documentElement: XmlElement | null };
  };
};
const require = createRequire(import.meta.url);

type Reading = { refuse: Refuse; hasComments?: boolean };

const maxDepth = 48;

const ELEMENT = 1;
const TEXT = 3;
const COMMENT = 8;

// XML 1.0 forbids other characters, and PostgreSQL cannot store them.
const forbidden = /[^\t\n\r\u0020-\ufffd]/;

/**
 * Parses a document and returns its root element. Rejects everything that parsers could read
 * differently.
 */
export function parseXml(text: string, { refuse, hasComments = false }: Reading): XmlElement {
  const faults: string[] = [];
  const root = parse(assertText(text, hasComments, refuse), faults);
  if (!root || faults.length > 0) throw refuse('is not well-formed XML');
  for (const element of elementsOf(root, refuse)) assertPlain(element, hasComments, refuse);
  return root;
}

function parse(text: string, faults: string[]): XmlElement | null {
  const { DOMParser } = require('@xmldom/xmldom') as Xmldom;
  try {
    return new DOMParser({
      errorHandler: (_level, message) => void faults.push(message),
    }).parseFromString(text, 'text/xml').documentElement;
  } catch {
    return null;
  }
}

/** The element and its descendants, in document order. */
export function elementsOf(
  root: XmlElement,
  refuse: Refuse = (detail) => new Error(detail),
): XmlElement[] {
  const elements: XmlElement[] = [];
  const open: Array<{ element: XmlElement; depth: number }> = [{ element: root, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { element, depth } = next;
    if (depth > maxDepth) throw refuse('is nested too deeply');
    elements.push(element);
    for (const child of childrenOf(element).toReversed())
      open.push({ element: child, depth: depth + 1 });
  }
  return elements;
}

function assertPlain(element: XmlElement, hasComments: boolean, refuse: Refuse): void {
  const attributes = attributesOf(element);
  for (const node of Array.from(element.childNodes)) {
    const isKnown =
      node.nodeType === ELEMENT ||
      node.nodeType === TEXT ||
      (hasComments && node.nodeType === COMMENT);
    if (!isKnown) throw refuse('has something in it that is neither an element nor a text');
    if (forbidden.test(node.data ?? '') || !(node.data ?? '').isWellFormed())
      throw refuse('has characters that XML does not allow');
  }
  if (attributes.some(({ value }) => forbidden.test(value) || !value.isWellFormed()))
    throw refuse('has characters that XML does not allow');
  if (element.nodeName.includes(':') && !element.namespaceURI)
    throw refuse('uses a prefix that it does not declare');
  const names = attributes.filter(({ name }) => name === 'xmlns' || name.startsWith('xmlns:'));
  // Canonical XML is undefined for these, and libraries have treated the result as an empty text.
  if (names.some(({ value }) => value !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(value)))
    throw refuse('declares a relative namespace');
}

export const attributesOf = ({ attributes }: XmlElement): XmlAttribute[] =>
  Array.from({ length: attributes.length }, (_, index) => attributes.item(index));

export const childrenOf = (element: XmlElement): XmlElement[] =>
  Array.from(element.childNodes).filter((node): node is XmlElement => node.nodeType === ELEMENT);

/**
 * An element name such as `saml:Assertion`. The prefixes are those of `namespaces`; the document
 * may use others.
 */
export type XmlName = `${keyof typeof namespaces}:${string}`;
export const namespaces = {
  saml: 'urn:oasis:names:tc:SAML:2.0:assertion',
  samlp: 'urn:oasis:names:tc:SAML:2.0:protocol',
  md: 'urn:oasis:names:tc:SAML:2.0:metadata',
  ds: 'http://www.w3.org/2000/09/xmldsig#',
  xenc: 'http://www.w3.org/2001/04/xmlenc#',
  xenc11: 'http://www.w3.org/2009/xmlenc11#',
  exc: 'http://www.w3.org/2001/10/xml-exc-c14n#',
} as const;

export function isNamed(element: XmlElement, name: XmlName): boolean {
  const [prefix = '', local] = name.split(':');
  return (
    element.localName === local &&
    element.namespaceURI === namespaces[prefix as keyof typeof namespaces]
  );
}

export const childrenNamed = (element: XmlElement, name: XmlName): XmlElement[] =>
  childrenOf(element).filter((child) => isNamed(child, name));
export const findChild = (element: XmlElement, name: XmlName): XmlElement | undefined =>
  childrenNamed(element, name)[0];
export const findAttribute = (element: XmlElement, name: string): string | undefined =>
  element.hasAttribute(name) ? element.getAttribute(name) : undefined;

/** The trimmed text of an element without child elements. */
export const findText = (element: XmlElement | undefined): string | undefined =>
  element && childrenOf(element).length === 0 ? element.textContent.trim() : undefined;
