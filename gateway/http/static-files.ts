import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path';

// Shared by the guides and the console, which are both built beforehand.

/** Lists the files of a build. It is written last, so that its folder is complete. */
export const manifestFile = 'files.json';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export const typeOf = (file: string): string => types[extname(file)] ?? 'application/octet-stream';

/** The list of a build's files, as its program has written it. Undefined if nothing was built. */
export function readManifest(folder: URL): unknown {
  try {
    return JSON.parse(readFileSync(new URL(manifestFile, folder), 'utf8'));
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The caching of a file whose name has a hash of its content. */
export const forEver = 'public, max-age=31536000, immutable';

/** Names in `assets/` have such a hash. Browsers ask again for all other files. */
export const cachingOf = (file: string): string =>
  file.startsWith('assets/') ? forEver : 'no-cache';

/** The bytes of a file. Undefined if another build removed it since the start. */
export const readBody = (file: URL) =>
  readFile(file).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** Whether the client takes a body in this encoding (RFC 9110, section 12.5.3). */
export function accepts(
  { headers: { 'accept-encoding': accepted = '' } }: IncomingMessage,
  encoding: 'br' | 'gzip',
): boolean {
  const named = accepted.split(',').map((one) =>
    one
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  return named.some(([name, q = '']) => name === encoding && !/^q=0(\.0*)?$/.test(q));
}
