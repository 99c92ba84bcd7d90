import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import { isConsumerMail } from './consumer-mail.ts';
import { maxNameLength } from './proof/challenge.ts';

const hostname = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

/**
 * A mail domain in lower-case punycode, as addresses are compared with it; "" for an invalid name.
 * Reads what people paste: the address of a site, and the name as DNS writes it, with a dot at its
 * end.
 */
export const normaliseDomain = (text: string): string =>
  domainToASCII(nameIn(text.trim()).replace(/[.]$/, '')).toLowerCase();

const noUrl = { username: '', password: '', port: '', hostname: '' };

function nameIn(text: string): string {
  if (!/^https?:\/\//i.test(text)) return text.replace(/\/$/, '');
  const { username, password, port, hostname: host } = URL.parse(text) ?? noUrl;
  return username === '' && password === '' && port === '' ? host : '';
}

/**
 * The reason to reject a domain name. Pass the result of normaliseDomain, which can create dots and
 * digits.
 */
export function domainProblem(name: string): string | undefined {
  if (isIP(name) !== 0) return 'must be a domain name, not an address';
  if (name.endsWith('.localhost')) return 'must not be a local name';
  if (!hostname.test(name)) return 'must be a domain name such as example.com';
  if (name.length > maxNameLength)
    return `must be at most ${maxNameLength} characters, international names in their xn-- form`;
  // Private suffixes such as github.io count, too: a customer who gets the challenge's label below
  // one would otherwise prove the whole domain.
  if (parse(name, { allowPrivateDomains: true }).domain === null)
    return 'must not be a public suffix: anyone can register a name below it';
  const { domain, domainWithoutSuffix } = parse(name);
  if (isConsumerMail(domain ?? '', domainWithoutSuffix ?? ''))
    return 'must not be a public mail service: its addresses do not belong to an organisation';
  return undefined;
}
