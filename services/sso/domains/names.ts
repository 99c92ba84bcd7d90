import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import { isConsumerMail } from './consumer-mail.ts';
import { maxNameLength } from './proof/challenge.ts';

const hostname = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** The name of a mail domain in lower-case punycode, as addresses are compared with it; "" for what has none. */
export const normaliseDomain = (text: string): string => domainToASCII(text).toLowerCase();

/** Why nobody can own a domain. Its name is judged as normaliseDomain makes it: that makes dots and digits of what was none. */
export function domainProblem(name: string): string | undefined {
  if (isIP(name) !== 0) return 'must be a domain name, not an address';
  if (name.endsWith('.localhost')) return 'must not be a name of the own machine';
  if (!hostname.test(name)) return 'must be a domain name such as example.com';
  if (name.length > maxNameLength)
    return `must be at most ${maxNameLength} characters, international names in their xn-- form`;
  // Also names below which a company lets anybody have one, such as github.io: whoever got the challenge's own label there
  // would have proved all of it.
  if (parse(name, { allowPrivateDomains: true }).domain === null)
    return 'must not be a public suffix: anybody can have a name below it';
  const { domain, domainWithoutSuffix } = parse(name);
  if (isConsumerMail(domain ?? '', domainWithoutSuffix ?? ''))
    return 'must not be a mail service for everybody: its addresses belong to no organisation';
  return undefined;
}
