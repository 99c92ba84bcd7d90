import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { invalid } from '@bailiwick/shared/errors.ts';
import { parse } from 'tldts';
import { isConsumerMail } from './consumer-mail.ts';
import { maxNameLength } from './proof/challenge.ts';

const hostname = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

/**
 * The name of a mail domain in lower-case punycode, as addresses are compared with it. Throws invalid_argument for what
 * nobody can own. Everything is judged after the conversion, which makes dots and digits of what was none.
 */
export function normaliseDomain(text: string): string {
  const name = domainToASCII(text).toLowerCase();
  if (isIP(name) !== 0) throw refused('must be a domain name, not an address');
  if (name === 'localhost' || name.endsWith('.localhost')) throw refused('must not be a name of the own machine');
  if (!hostname.test(name)) throw refused('must be a domain name such as example.com');
  if (name.length > maxNameLength) throw refused(`must be at most ${maxNameLength} characters, international names in their xn-- form`);
  assertOwnable(name);
  return name;
}

function assertOwnable(name: string): void {
  // Also names below which a company lets anybody have one, such as github.io: whoever got the challenge's own label there
  // would have proved all of it.
  if (parse(name, { allowPrivateDomains: true }).domain === null) throw refused('must not be a public suffix: anybody can have a name below it');
  const { domain, domainWithoutSuffix } = parse(name);
  if (isConsumerMail(domain ?? '', domainWithoutSuffix ?? ''))
    throw refused('must not be a mail service for everybody: its addresses belong to no organisation');
}

const refused = (problem: string) => invalid(`Name ${problem}`, 'DOMAIN_REFUSED');
