import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isCurrent } from '../http/etag.ts';
import { cachingOf, readBody, readManifest, typeOf } from '../http/static-files.ts';

// The site that `npm run docs` builds from the documents, served beside the API reference.

/** `files.json` of a built site. */
export type GuidesManifest = {
  /** Every file's path below the site, and a hash of it. */
  files: Record<string, string>;
  /** Sources of the content security policy for the inline scripts, such as `sha256-…`. */
  scripts: string[];
  /** The same for the inline style attributes. */
  styles: string[];
};

/** The site's address, as it stands in its files. */
export const base = '/docs/guides/';
/** Where the site had an API reference of its own before. It leads to that of the gateway. */
const formerReference = /^\/docs\/guides\/api\/([a-z]+\.html)?$/;

/**
 * Reads the list of the files of a built site. Without one, no path is served.
 * The list is read once: a site that is built again needs a new start of the gateway.
 */
export function openGuides(folder = new URL('../../site/dist/', import.meta.url)) {
  const manifest = readManifest(folder) as GuidesManifest | undefined;
  const files = new Map(
    Object.entries(manifest?.files ?? {}).map(([file, hash]) => [
      base + file.replace(/(^|(?<=\/))index\.html$/, ''),
      { file, hash },
    ]),
  );
  const headers = {
    'content-security-policy': manifest ? policyOf(manifest) : '',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };

  return {
    exist: files.size > 0,
    has: (pathname: string): boolean =>
      files.has(pathname) ||
      (files.size > 0 && (pathname === base.slice(0, -1) || formerReference.test(pathname))),

    /** Sends the file at a path that `has` accepts. `prefix` is the path of the public URL. */
    async send(
      request: IncomingMessage,
      response: ServerResponse,
      pathname: string,
      prefix: string,
    ): Promise<void> {
      const entry = files.get(pathname);
      if (!entry) {
        const location = formerReference.test(pathname) ? `${prefix}/docs` : 'guides/';
        return void response.writeHead(308, { ...headers, location }).end();
      }
      const own = { ...headers, ...versionOf(entry, prefix) };
      if (isCurrent(request, own.etag)) return void response.writeHead(304, own).end();
      const body = await readBelow(new URL(entry.file, folder), prefix);
      // The site was built again since the start, and this file went away.
      if (!body) return void response.writeHead(404, headers).end();
      const type = { 'content-type': typeOf(entry.file), 'content-length': body.length };
      response.writeHead(200, { ...own, ...type }).end(body);
    },
  };
}

/** As strict as the policy of the other pages. Allows inline scripts and styles by their hashes. */
function policyOf({ scripts, styles }: GuidesManifest): string {
  const quoted = (hashes: readonly string[]) => hashes.map((hash) => `'${hash}'`).join(' ');
  return [
    "default-src 'none'",
    `script-src 'self' ${quoted(scripts)}`,
    "style-src 'self'",
    `style-src-attr 'unsafe-hashes' ${quoted(styles)}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function versionOf({ file, hash }: { file: string; hash: string }, prefix: string) {
  const version = prefix === '' ? '' : createHash('sha256').update(prefix).digest('base64url');
  return { etag: `"${hash}${version}"`, 'cache-control': cachingOf(file) };
}

/** A file with the public URL's path before the site's address. Undefined if it is not there. */
async function readBelow(file: URL, prefix: string): Promise<Buffer | undefined> {
  const body = await readBody(file);
  if (!body || prefix === '' || /\.(png|woff2)$/.test(file.pathname)) return body;
  return Buffer.from(body.toString('utf8').replaceAll(base, prefix + base));
}
