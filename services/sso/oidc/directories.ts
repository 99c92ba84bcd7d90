import { Buffer } from 'node:buffer';
import { parseObject } from './json.ts';
import type { PublicKey } from './keys.ts';
import { invalidAnswer } from './library-errors.ts';
import type { Published } from './published.ts';

// One issuer of Microsoft stands for all directories. Its discovery document names a template
// instead of an issuer, and each ID token names its own directory (tid).

const placeholder = '{tenantid}';
const segments = ['common', 'organizations'] as const;
const directoryId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether an issuer in a discovery document is the template of an issuer for all directories. */
export const isTemplateOf = (template: unknown, issuer: string): template is string =>
  typeof template === 'string' &&
  segments.some((segment) => template.replace(placeholder, segment) === issuer) &&
  template !== issuer;

/**
 * The issuer that the ID token of a token response has to name. The token is not verified yet: of
 * its directory only the ID counts, in the place that the template has for it. Throws SignInRefused.
 */
export async function issuerFor(
  response: Response,
  { server, template }: Pick<Published, 'server' | 'template'>,
): Promise<string> {
  if (template === undefined) return server.issuer;
  const { id_token: token } = (await response.clone().json()) as { id_token?: unknown };
  const [, payload = ''] = typeof token === 'string' ? token.split('.') : [];
  const directory = parseObject(Buffer.from(payload, 'base64url'))?.['tid'];
  if (typeof directory !== 'string' || !directoryId.test(directory))
    throw invalidAnswer('The ID token names no directory (tid).');
  return template.replace(placeholder, directory);
}

/** The keys that sign tokens of an issuer: a key may name a single one, or the template. */
export const keysOf = (
  { keys, template }: Pick<Published, 'keys' | 'template'>,
  issuer: string,
): readonly PublicKey[] =>
  template === undefined
    ? keys
    : keys.filter(({ issuer: own = template }) => own === template || own === issuer);
